/** Light, dark, or what the system prefers: a class on the root element, set before anything is drawn. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'parley.theme';

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(place);
  return themes.find((theme) => theme === kept) ?? 'system';
}

export function wearTheme(theme: Theme): void {
  const { classList } = document.documentElement;
  classList.remove(...themes);
  if (theme !== 'system') classList.add(theme);
  localStorage.setItem(place, theme);
}
