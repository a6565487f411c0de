/** The square to cut out of a picture, in the picture’s own pixels. */
export interface Size {
  width: number;
  height: number;
}

export interface Square {
  x: number;
  y: number;
  side: number;
}

/** The largest zoom, relative to the complete shorter side. */
export const maxZoom = 4;

export const midst = (size: Size): Square => {
  const side = Math.min(size.width, size.height);
  return { x: (size.width - side) / 2, y: (size.height - side) / 2, side };
};

export const moved = (size: Size, { x, y, side }: Square, right: number, down: number): Square => ({
  x: clamp(x + right, size.width - side),
  y: clamp(y + down, size.height - side),
  side,
});

/** Zooms around the middle of the square, which moves only at the picture's edges. */
export function zoomed(size: Size, { x, y, side }: Square, zoom: number): Square {
  const smaller = Math.min(size.width, size.height) / Math.min(maxZoom, Math.max(1, zoom));
  const by = (side - smaller) / 2;
  return moved(size, { x, y, side: smaller }, by, by);
}

export const zoomOf = (size: Size, { side }: Square): number =>
  Math.min(size.width, size.height) / side;

const clamp = (at: number, max: number) => Math.min(Math.max(0, at), Math.max(0, max));

/** Twice the size that the server stores after scaling down. */
const pixels = 512;

/** @throws Error if the browser cannot draw it */
export async function cut(picture: HTMLImageElement, { x, y, side }: Square): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const length = Math.max(1, Math.round(Math.min(pixels, side)));
  canvas.width = length;
  canvas.height = length;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, side, side, 0, 0, length, length);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/webp', 0.92);
  });
  if (blob === null) throw new Error('an empty picture');
  return blob;
}
