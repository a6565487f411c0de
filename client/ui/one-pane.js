/**
 * Where there is room for one pane only: a narrow window, or a phone on its side. Tablets have two, even while a
 * keyboard takes half of their height. Styles write it `@media (--one-pane)`: see svelte.config.js.
 */
export const onePane =
  '(max-width: 819px), (max-width: 960px) and (max-height: 500px) and (pointer: coarse)';
