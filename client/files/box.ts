/** The layout of the pictures in a message, known before they have loaded. */
import type { File } from '../../shared/files.ts';

/** The largest size of a single picture and the smallest size of a button, in pixels. */
const [room, least] = [{ width: 360, height: 240 }, 44];

/** The width of several pictures, and the usual and greatest height of a row of them, in pixels. */
const [fullWidth, usualHeight, maxHeight] = [420, 150, 200];

/** With more per row, pictures on a phone would be smaller than a button. */
const maxInRow = 5;

export interface PictureRow<F> {
  pictures: Shaped<F>[];
  ratio: number;
  width: string;
}

interface Shaped<F> {
  file: F;
  ratio: number;
}

/** Splits the pictures into rows, in order, so that the heights of the rows differ least from the usual height. */
export function pictureRows<F extends File>(files: readonly F[]): PictureRow<F>[] {
  const [file, ...others] = files;
  if (file && others.length === 0) return [singleRow(file)];
  const pictures = files.map((file) => ({ file, ratio: ratioOf(file) }));
  /** The best rows for the first 0, 1, 2 … pictures. */
  const best: { cost: number; rows: PictureRow<F>[] }[] = [{ cost: 0, rows: [] }];
  for (let end = 1; end <= pictures.length; end += 1) {
    const options = best.slice(-maxInRow).map(({ cost, rows }) => {
      const row = rowFor(pictures.slice(rows.flatMap((one) => one.pictures).length, end));
      const deviation = Math.log(fullWidth / row.ratio / usualHeight);
      return { cost: cost + deviation ** 2, rows: [...rows, row] };
    });
    best.push(options.reduce((least, one) => (one.cost < least.cost ? one : least)));
  }
  return best.at(-1)?.rows ?? [];
}

function singleRow<F extends File>(file: F): PictureRow<F> {
  const { width: wide = room.width, height: high = room.height } = file;
  const scale = Math.min(1, room.width / wide, room.height / high);
  const [width, height] = [Math.max(least, wide * scale), Math.max(least, high * scale)];
  const ratio = width / height;
  return { pictures: [{ file, ratio }], ratio, width: `min(100%, ${width}px)` };
}

function rowFor<F>(pictures: Shaped<F>[]): PictureRow<F> {
  const ratio = pictures.reduce((sum, one) => sum + one.ratio, 0);
  return { pictures, ratio, width: `${Math.min(100, (100 * ratio * maxHeight) / fullWidth)}%` };
}

/** Clamped, so that a very wide or tall picture beside others is cropped instead of shown as a line. */
const ratioOf = ({ width = 1, height = 1 }: File) => Math.min(3, Math.max(0.5, width / height));
