/** The zoom of a picture: fits the window, or is enlarged around a fixed point. */
import { flushSync } from 'svelte';
import type { File } from '../../shared/files.ts';
import type { Point } from './pinch.ts';

export class Zoom {
  stage = $state.raw<HTMLElement>();
  image = $state.raw<HTMLImageElement>();
  /** The width of a zoomed picture in pixels; undefined when it fits the window. */
  wide = $state<number>();

  /** Zooms by a factor. The point at `from` in the window is at `to` afterwards. */
  by(by: number, file: File | undefined, from?: Point, to = from) {
    const { stage, image } = this;
    if (!stage || !image || !file) return;
    const { width = image.naturalWidth || 1, height = image.naturalHeight || 1 } = file;
    const fitting = Math.min(stage.clientWidth, (stage.clientHeight * width) / height);
    const before = this.wide ?? fitting;
    const after = Math.min(before * by, Math.max(width, fitting * 4));
    const [old, start] = [middleOf(image), from ?? middleOf(stage)];
    this.wide = after > fitting + 1 ? after : undefined;
    flushSync();
    const [now, end] = [middleOf(image), to ?? start];
    const factor = after / before;
    stage.scrollBy(
      now.x + (start.x - old.x) * factor - end.x,
      now.y + (start.y - old.y) * factor - end.y,
    );
  }
}

const middleOf = (node: Element): Point => {
  const { x, y, width, height } = node.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
};
