/** Content that another app shared with Parley. The service worker stores it until a page asks where to send it. */
import { limits } from '../../shared/limits.ts';
import { attachFiles } from '../files/attached.svelte.ts';
import { drafts, writeDraft } from '../messages/drafts.ts';
import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';

/** Written by client/worker/sharing.ts. */
const cacheName = 'parley.shared';
const path = '/shared';

export interface SharedContent {
  text: string;
  files: File[];
}

/** More than a message can have. The composer says so, so that the user can shorten it. */
const maxText = 10 * limits.body;

const ShareTo = lazy(() => import('./ShareTo.svelte'));

/** Asks where to send stored content, if there is any, and deletes it from the device. */
export async function askWhereToShare(): Promise<void> {
  const cache = await caches.open(cacheName);
  const found = await (await cache.match(path))?.formData();
  await cache.delete(path);
  const content = found && contentOf(found);
  if (content && (content.text || content.files.length > 0))
    overlay.open(ShareTo, () => ({ content }));
}

/** Adds the content to the draft of a timeline. */
export function addToDraft(timelineId: string, { text, files }: SharedContent): void {
  if (text) writeDraft(timelineId, [drafts.get(timelineId), text].filter(Boolean).join('\n'));
  if (files.length > 0) attachFiles(timelineId, files);
}

/** Apps repeat themselves: the text often contains the title or the address. */
function contentOf(form: FormData): SharedContent {
  const given = ['title', 'text', 'url'].flatMap((name) => {
    const value = form.get(name);
    if (typeof value !== 'string' || value.trim() === '') return [];
    // Forms encode newlines in this way.
    return [value.replaceAll('\r\n', '\n').trim()];
  });
  const text = given.filter(
    (one, i) =>
      !given.some((other, j) => i !== j && other.includes(one) && (other !== one || j < i)),
  );
  return {
    text: text.join('\n').slice(0, maxText),
    files: form.getAll('files').filter((file) => file instanceof File),
  };
}
