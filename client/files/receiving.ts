/** Files that are dropped anywhere on the page, or pasted, go to the composer that is open. */
import { notices } from '../navigation/notices.svelte.ts';
import { attachFiles } from './attached.svelte.ts';
import { landing } from './landing.svelte.ts';

export function listenForFiles(signal: AbortSignal): void {
  document.addEventListener(
    'dragover',
    (event) => {
      if (take(event)) landing.isNear = true;
    },
    { signal },
  );
  document.addEventListener(
    'dragleave',
    ({ relatedTarget }) => {
      // Out of the window, not from one element to the next.
      if (relatedTarget === null) landing.isNear = false;
    },
    { signal },
  );
  document.addEventListener(
    'drop',
    (event) => {
      landing.isNear = false;
      if (take(event)) receive(event.dataTransfer?.files);
    },
    { signal },
  );
  document.addEventListener(
    'paste',
    (event) => {
      const { clipboardData } = event;
      // Text that was copied with its picture goes in as text.
      if (!clipboardData?.files.length || clipboardData.types.includes('text/plain')) return;
      event.preventDefault();
      receive(clipboardData.files);
    },
    { signal },
  );
}

/** Keeps the browser from opening what is dragged, if that is a file: it would take the page's place. */
function take(event: DragEvent): boolean {
  if (!event.dataTransfer?.types.includes('Files')) return false;
  event.preventDefault();
  return true;
}

function receive(files: FileList | undefined) {
  const { place } = landing;
  if (place) attachFiles(place.timelineId, files ?? []);
  else notices.tell('Open a channel or conversation to share files.');
}
