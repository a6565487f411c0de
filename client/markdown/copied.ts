/** Copies a selection with list items, because browsers leave out their markers. Others are copied by the browser. */
import { isField } from '../ui/keys.ts';

export function copyLists(event: ClipboardEvent): void {
  const selection = getSelection();
  if (isField(event.target) || !event.clipboardData || !selection?.rangeCount) return;
  const holder = contentsOf(selection.getRangeAt(0));
  const items = [...holder.querySelectorAll(item)].filter(hasContent);
  if (items.length === 0) return;
  for (const label of holder.querySelectorAll('[data-uncopied]')) label.remove();
  event.clipboardData.setData('text/html', holder.innerHTML);
  for (const item of items) (item.querySelector(':scope > p') ?? item).prepend(markerOf(item));
  event.clipboardData.setData('text/plain', plainText(holder));
  event.preventDefault();
}

/** Matches list items in a message's text, but not the rows of messages, which are list items too. */
const item = ':is(ul, ol):not([data-rows]) > li';

const hasContent = (item: Element) => item.textContent.trim() !== '';

function contentsOf(range: Range): HTMLElement {
  const holder = document.createElement('div');
  const { commonAncestorContainer: around } = range;
  // A selection within one list contains its items, but not the list.
  const isList = around instanceof HTMLElement && around.matches('ul, ol');
  const parent = isList ? (around.cloneNode(false) as HTMLElement) : holder;
  if (isList) holder.append(parent);
  parent.append(range.cloneContents());
  return holder;
}

function plainText(holder: HTMLElement): string {
  for (const picture of holder.querySelectorAll('img')) picture.replaceWith(picture.alt);
  for (const paragraph of holder.querySelectorAll('li > p'))
    paragraph.replaceWith(asLine(paragraph));
  // `innerText` breaks lines only in an element that has a layout.
  holder.className = 'hidden-visually';
  holder.style.whiteSpace = 'normal';
  document.body.append(holder);
  const text = holder.innerText.trim();
  holder.remove();
  return text;
}

/** Replaces a paragraph by a `div`, because `innerText` adds empty lines around paragraphs. */
function asLine(paragraph: Element): Element {
  const line = document.createElement('div');
  line.style.whiteSpace = 'pre-wrap';
  line.append(...paragraph.childNodes);
  return line;
}

function markerOf(item: Element): string {
  const list = item.parentElement;
  const isNumbered = list?.tagName === 'OL';
  const after = list?.matches('.enclosed') ? ')' : '.';
  const sign = isNumbered ? `${item.getAttribute('value')}${after}` : '-';
  const task = item.querySelector(':scope > [role="img"]')?.getAttribute('aria-label');
  return `${'  '.repeat(depthOf(item))}${sign} ${task ? `[${task === 'Done' ? 'x' : ' '}] ` : ''}`;
}

function depthOf(child: Element): number {
  const around = child.parentElement?.closest(item);
  return around ? 1 + depthOf(around) : 0;
}
