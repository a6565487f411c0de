/** Light, dark or the system’s preference. public/theme.js sets the class before the first paint. */
import { Moon, Sun, SunMoon } from 'lucide';
import { load, save } from './storage.ts';

export const themes = [
  { value: 'system', label: 'Match system', icon: SunMoon },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const;
export type ThemeId = (typeof themes)[number]['value'];

const key = 'theme';

class Theme {
  #chosen = $state<ThemeId>(themes.find(({ value }) => value === load(key))?.value ?? 'system');

  get chosen() {
    return this.#chosen;
  }

  set chosen(chosen: ThemeId) {
    this.#chosen = chosen;
    const { classList } = document.documentElement;
    classList.remove(...themes.map(({ value }) => value));
    if (chosen !== 'system') classList.add(chosen);
    save(key, chosen);
  }
}

export const theme = new Theme();
