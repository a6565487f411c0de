import type { Attachment } from 'svelte/attachments';

/** Lets a textarea grow with its text, up to a limit in CSS. Reads `text` so that it runs when the text changes. */
export const autosize =
  (text: () => string): Attachment<HTMLTextAreaElement> =>
  (element) => {
    text();
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  };
