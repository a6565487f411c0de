/** Files added to drafts, by timeline. The upload code is loaded when needed. */
import { SvelteMap } from 'svelte/reactivity';
import { account } from '../accounts/account.svelte.ts';
import { canPost } from '../channels/posting.ts';
import { serverOf } from '../notifications/muting.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { on } from '../session/socket.ts';
import { partFailed } from '../ui/part-failed.ts';
import type { Attachment } from './attachment.svelte.ts';

export const attached = new SvelteMap<string, readonly Attachment[]>();

/** The same files by id, until their message is sent. */
export const uploads = new SvelteMap<string, Attachment>();

/** The largest file that the server accepts, in bytes. */
export const upload = { maxBytes: 0 };

// Asks before a reload, because a draft keeps its text but loses its files. Not in a channel that has become read-only,
// because the user does not see them there.
addEventListener('beforeunload', (event) => {
  if (account.you && [...attached.keys()].some((id) => canPost(serverOf(id), id)))
    event.preventDefault();
});

on('ready', ({ fileBytes }) => {
  upload.maxBytes = fileBytes;
});

export const attachmentsOf = (timelineId: string): readonly Attachment[] =>
  attached.get(timelineId) ?? [];

export const loadAttaching = () => import('./attaching.ts');

/** Without a timeline, says why there is none for files. */
export function attachFiles(
  timelineId: string | undefined,
  files: Iterable<globalThis.File>,
): void {
  const all = [...files];
  loadAttaching().then(
    ({ attach }) => {
      attach(timelineId, all);
    },
    () => {
      notices.show(`${partFailed.title}. ${partFailed.text}`);
    },
  );
}
