/** Light, dark or the system’s preference. public/theme.js sets the class before the first paint. */
import { load, save } from './storage.ts';

const ids = ['system', 'light', 'dark'] as const;
export type ThemeId = (typeof ids)[number];

const key = 'theme';

class Theme {
  #chosen = $state<ThemeId>(ids.find((id) => id === load(key)) ?? 'system');

  get chosen() {
    return this.#chosen;
  }

  set chosen(chosen: ThemeId) {
    this.#chosen = chosen;
    const { classList } = document.documentElement;
    classList.remove(...ids);
    if (chosen !== 'system') classList.add(chosen);
    save(key, chosen);
  }
}

export const theme = new Theme();
