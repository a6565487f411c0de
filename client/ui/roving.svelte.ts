/** A list with one tab stop. Arrows, Home and End move within it, between elements with `data-stop`. */
import type { Attachment } from 'svelte/attachments';

export class Roving {
  #last = $state<string>();

  /** The element that Tab reaches: the last focused one, or the first. */
  among(ids: readonly string[]): string | undefined {
    return this.#last !== undefined && ids.includes(this.#last) ? this.#last : ids[0];
  }

  readonly attach: Attachment<HTMLElement> = (list) => {
    const focused = ({ target }: FocusEvent) => {
      const id = (target as Element).getAttribute('data-stop');
      if (id !== null) this.#last = id;
    };
    list.addEventListener('focusin', focused);
    list.addEventListener('keydown', move);
    return () => {
      list.removeEventListener('focusin', focused);
      list.removeEventListener('keydown', move);
    };
  };
}

function move(event: KeyboardEvent): void {
  const { key, target, currentTarget } = event;
  const all = [...(currentTarget as Element).querySelectorAll<HTMLElement>('[data-stop]')];
  const at = all.indexOf(target as HTMLElement);
  if (at < 0) return;
  const to: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    Home: 0,
    End: all.length - 1,
  };
  const next = all[to[key] ?? -1];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
