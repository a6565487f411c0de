/** Files that somebody adds to the message they write, by timeline. How they are uploaded is fetched when it is needed. */
import { SvelteMap } from 'svelte/reactivity';
import { notices } from '../navigation/notices.svelte.ts';
import { on } from '../session/socket.ts';
import type { Attachment } from './attaching.svelte.ts';

export const attached = new SvelteMap<string, readonly Attachment[]>();

/** The largest file that the server takes, in bytes. */
export const upload = { most: 0 };

on('ready', ({ fileBytes }) => {
  upload.most = fileBytes;
});

export const attachmentsOf = (timelineId: string): readonly Attachment[] =>
  attached.get(timelineId) ?? [];

/** Begins to upload these. */
export function attachFiles(timelineId: string, files: Iterable<globalThis.File>): void {
  const all = [...files];
  import('./attaching.svelte.ts').then(
    ({ attach }) => {
      attach(timelineId, all);
    },
    () => {
      notices.tell('Part of Parley didn’t load. Reload to try again.');
    },
  );
}
