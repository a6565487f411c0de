import type { Shortcut } from '../keyboard/shortcuts.ts';

type Listed = readonly Pick<Shortcut, 'keys' | 'does'>[];

/** On a button of the file (AttachmentBar.svelte). In its description field, these keys belong to the field. */
export const tileKeys: Listed = [
  { keys: ['Alt+ArrowLeft', 'Alt+ArrowRight'], does: 'On an attached file: move it' },
];

/** The browser handles these. */
export const playerKeys: Listed = [
  { keys: ['Space'], does: 'In a player: play or pause' },
  { keys: ['ArrowLeft', 'ArrowRight'], does: 'In a player: back / forward' },
  { keys: ['Tab'], does: 'In a player: next control' },
];

export const viewerKeys: Listed = [
  { keys: ['ArrowLeft', 'ArrowRight'], does: 'Previous / next picture' },
  { keys: ['Plus', '-'], does: 'Zoom in / out' },
  { keys: ['0'], does: 'Fit to window' },
  { keys: ['ArrowLeft', 'ArrowUp', 'ArrowDown', 'ArrowRight'], does: 'Move a zoomed picture' },
];
