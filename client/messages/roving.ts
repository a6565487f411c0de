/**
 * Moves between messages, because the message list is one tab stop: arrows, Home and End move to another message, Enter
 * moves into a message, Esc back out. Returns the id of the message that the key moved to.
 */
export function moveBetweenMessages(event: KeyboardEvent, list: HTMLElement): string | undefined {
  const target = event.target as HTMLElement;
  const article = target.closest<HTMLElement>('article');
  if (!article) return undefined;
  if (target === article) return moveFrom(article, event, list);
  moveInside(article, target, event);
  return undefined;
}

function moveFrom(article: HTMLElement, event: KeyboardEvent, list: HTMLElement) {
  const all = [...list.querySelectorAll<HTMLElement>('article')];
  const at = all.indexOf(article);
  const to: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    Home: 0,
    End: all.length - 1,
  };
  if (event.key === 'Enter') {
    event.preventDefault();
    controlsOf(article)[0]?.focus();
  }
  const next = all[to[event.key] ?? -1];
  if (!next) return undefined;
  event.preventDefault();
  next.focus();
  return messageIdOf(next);
}

function moveInside(article: HTMLElement, target: HTMLElement, event: KeyboardEvent) {
  const all = controlsOf(article);
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };
  const step = steps[event.key];
  if (event.key === 'Escape') article.focus();
  else if (step) all.at((all.indexOf(target) + step) % all.length)?.focus();
}

/** Esc first closes an open element: a dialog, a menu, an editor or the actions of a message. */
export const isFreeEscape = ({ key, target, defaultPrevented }: KeyboardEvent) =>
  key === 'Escape' &&
  !defaultPrevented &&
  !(target instanceof Element && target.closest('dialog, [popover], article *'));

export const messageIdOf = (row: Element | null) => row?.getAttribute('data-id') ?? undefined;

export const controlsOf = (article: HTMLElement) => [
  ...article.querySelectorAll<HTMLElement>('a[href], button:not([popover] *), [controls]'),
];
