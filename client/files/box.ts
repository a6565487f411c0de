/** The size of a picture in its message. */
import type { File } from '../../shared/files.ts';

/** The most space for a single picture, in pixels; and the smallest size of a button. */
const [room, least] = [{ width: 360, height: 240 }, 44];

/** The box of a single picture: in its own shape, known before it has loaded. */
export function boxOf({ width = room.width, height = room.height }: File) {
  const scale = Math.min(1, room.width / width, room.height / height);
  return { width: Math.max(least, width * scale), height: Math.max(least, height * scale) };
}
