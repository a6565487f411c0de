/** How large a file is, and where it is read. */
import type { File } from '../../shared/files.ts';

export const hrefOf = ({ id, name }: Pick<File, 'id' | 'name'>): string =>
  `/files/${id}/${encodeURIComponent(name)}`;

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`;
}
