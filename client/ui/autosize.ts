import type { Attachment } from 'svelte/attachments';

/** Grows a textarea with its text, up to a limit in CSS, whenever state that `text` reads changes. */
export const autosize =
  (
    text: () => unknown,
    onsized?: (isMultiline: boolean) => void,
  ): Attachment<HTMLTextAreaElement> =>
  (element) => {
    text();
    element.style.height = 'auto';
    const height = element.scrollHeight;
    const border = element.offsetHeight - element.clientHeight;
    element.style.height = `${height + border}px`;
    if (!onsized) return;
    const { lineHeight, paddingBlockStart, paddingBlockEnd } = getComputedStyle(element);
    const padding = parseFloat(paddingBlockStart) + parseFloat(paddingBlockEnd);
    onsized(height - padding > 1.5 * parseFloat(lineHeight));
  };
