/** Files cannot be sent yet. A page that says nothing loses them, and a dropped one even takes its place. */
import { notices } from '../navigation/notices.svelte.ts';

/** Answers with how to stop. */
export function declineFiles(): () => void {
  const on = new AbortController();
  const { signal } = on;
  document.addEventListener('dragover', take, { signal });
  document.addEventListener(
    'drop',
    (event) => {
      if (take(event)) tell();
    },
    { signal },
  );
  document.addEventListener(
    'paste',
    ({ clipboardData }) => {
      // Text that was copied with its picture goes in as text.
      if (clipboardData?.files.length && !clipboardData.types.includes('text/plain')) tell();
    },
    { signal },
  );
  return () => {
    on.abort();
  };
}

/** Keeps the browser from opening what is dragged, if that is a file. */
function take(event: DragEvent): boolean {
  if (!event.dataTransfer?.types.includes('Files')) return false;
  event.preventDefault();
  return true;
}

const tell = () => {
  notices.tell('Files can’t be sent yet.');
};
