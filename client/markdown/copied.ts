/**
 * Copies a selection that includes list items: browsers leave out their markers. The plain text has them, and the HTML
 * stays as it is.
 */
export function copyLists(event: ClipboardEvent): void {
  const selection = getSelection();
  if (!event.clipboardData || !selection || selection.rangeCount === 0) return;
  const holder = document.createElement('div');
  holder.append(selection.getRangeAt(0).cloneContents());
  const items = [...holder.querySelectorAll('li:not(:has(article))')];
  if (items.length === 0) return;
  event.clipboardData.setData('text/html', holder.innerHTML);
  for (const item of items) (item.querySelector(':scope > p') ?? item).prepend(markerOf(item));
  for (const paragraph of holder.querySelectorAll('li > p'))
    paragraph.replaceWith(asLine(paragraph));
  for (const label of holder.querySelectorAll('[data-uncopied]')) label.remove();
  // `innerText` breaks lines only in an element that is laid out.
  holder.className = 'hidden-visually';
  holder.style.whiteSpace = 'normal';
  document.body.append(holder);
  event.clipboardData.setData('text/plain', holder.innerText.replace(/\n{3,}/g, '\n\n').trim());
  holder.remove();
  event.preventDefault();
}

/** Without the empty lines around a paragraph. */
function asLine(paragraph: Element): Element {
  const line = document.createElement('div');
  line.style.whiteSpace = 'pre-wrap';
  line.append(...paragraph.childNodes);
  return line;
}

function markerOf(item: Element): string {
  const list = item.parentElement;
  const isNumbered = list?.tagName === 'OL';
  const sign = isNumbered
    ? `${item.getAttribute('value')}${list.matches('.enclosed') ? ')' : '.'}`
    : '-';
  const task = item.querySelector(':scope > [role="img"]')?.getAttribute('aria-label');
  return `${'  '.repeat(depthOf(item))}${sign} ${task ? `[${task === 'Done' ? 'x' : ' '}] ` : ''}`;
}

function depthOf(item: Element): number {
  const around = item.parentElement?.closest('li:not(:has(article))');
  return around ? 1 + depthOf(around) : 0;
}
