/** How large a file is, and where it is read. */
import type { File } from '../../shared/files.ts';

export const hrefOf = ({ id, name }: Pick<File, 'id' | 'name'>): string =>
  `/files/${id}/${encodeURIComponent(name)}`;

/** As much room as a picture has that stands alone, in pixels; and how small a button may be. */
const [room, least] = [{ width: 360, height: 240 }, 44];

/** The box of such a picture: of its own shape, and known before it is there. */
export function boxOf({ width = room.width, height = room.height }: File) {
  const scale = Math.min(1, room.width / width, room.height / height);
  return { width: Math.max(least, width * scale), height: Math.max(least, height * scale) };
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`;
}
