/** Light, dark, or what the system prefers: a class on the root element. public/theme.js sets it before anything is drawn. */
import { Moon, Sun, SunMoon } from 'lucide';
import { keep, kept } from './storage.ts';

export const themes = [
  { id: 'system', label: 'Match system', icon: SunMoon },
  { id: 'light', label: 'Light', icon: Sun },
  { id: 'dark', label: 'Dark', icon: Moon },
] as const;
type ThemeId = (typeof themes)[number]['id'];

const place = 'theme';

class Theme {
  #chosen = $state<ThemeId>(themes.find(({ id }) => id === kept(place))?.id ?? 'system');

  get chosen() {
    return this.#chosen;
  }

  set chosen(chosen: ThemeId) {
    this.#chosen = chosen;
    const { classList } = document.documentElement;
    classList.remove(...themes.map(({ id }) => id));
    if (chosen !== 'system') classList.add(chosen);
    keep(place, chosen);
  }
}

export const theme = new Theme();
