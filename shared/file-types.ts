/** The types of files. */

/** Pictures: kept only as they were made anew, without what they tell of their place and camera. */
export const pictureTypes = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
] as const;
export type PictureType = (typeof pictureTypes)[number];

/** What browsers show by themselves, recognised by its content: everything else is only ever downloaded. */
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

/** What a file is when it is none of these. */
export const plainType = 'application/octet-stream';
