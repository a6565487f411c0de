import type { File } from '../../shared/files.ts';
import { calm } from '../ui/media.svelte.ts';

export const hrefOf = ({ id, name }: Pick<File, 'id' | 'name'>): string =>
  `/files/${id}/${encodeURIComponent(name)}`;

/** The URL of a picture in the required size, as a still for users who prefer reduced motion. */
export const pictureHref = (
  file: Pick<File, 'id' | 'name'>,
  size: 'small' | 'large' | undefined,
): string => {
  const asked = [size && `size=${size}`, calm.current && 'still'].filter(Boolean).join('&');
  return asked ? `${hrefOf(file)}?${asked}` : hrefOf(file);
};
