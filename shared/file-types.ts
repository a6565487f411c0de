/** Pictures. The server keeps only a re-encoded copy, without location and camera data. */
export const pictureTypes = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
] as const;
export type PictureType = (typeof pictureTypes)[number];

/** Types that browsers show themselves, recognized by content. All other files are only downloaded. */
export const shownTypes = [
  ...pictureTypes,
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/flac',
  'audio/mp4',
  'video/mp4',
  'video/webm',
] as const;
export type ShownType = (typeof shownTypes)[number];

export const plainType = 'application/octet-stream';
