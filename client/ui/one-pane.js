/**
 * A narrow window, or a phone in landscape. Tablets have two panes, even while a keyboard takes half of their height.
 * Styles write it as `@media (--one-pane)`: see svelte.config.js.
 */
export const onePane =
  '(max-width: 819px), (max-width: 960px) and (max-height: 500px) and (pointer: coarse)';
