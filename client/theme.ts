/** Light, dark, or what the system prefers: a class on the root element. public/theme.js sets it before anything is drawn. */
import { keep, kept } from './storage.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'theme';

export function chosenTheme(): Theme {
  const chosen = kept(place);
  return themes.find((theme) => theme === chosen) ?? 'system';
}

export function wearTheme(theme: Theme): void {
  const { classList } = document.documentElement;
  classList.remove(...themes);
  if (theme !== 'system') classList.add(theme);
  keep(place, theme);
}
