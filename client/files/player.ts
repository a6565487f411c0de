import { controlsOf } from '../messages/roving.ts';

/** Arrow keys belong to the player. So while it has the focus, Tab reaches the other controls of its message. */
export function openRow({ currentTarget }: { currentTarget: HTMLElement }): void {
  const article = currentTarget.closest('article');
  if (!article) return;
  const opened = controlsOf(article).filter(({ tabIndex }) => tabIndex < 0);
  for (const one of opened) one.tabIndex = 0;
  const left = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget !== article && article.contains(relatedTarget as Node | null)) return;
    article.removeEventListener('focusout', left);
    for (const one of opened) one.tabIndex = -1;
  };
  article.addEventListener('focusout', left);
}

/** Arrow keys seek in the player, so they do not move the focus in the message. */
export function stopArrowKeys(event: KeyboardEvent): void {
  if (event.key.startsWith('Arrow')) event.stopPropagation();
}
