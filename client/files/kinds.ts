import type { File } from '../../shared/files.ts';

export type Kind = 'image' | 'audio' | 'video' | 'other';

export const kindOf = ({ type }: Pick<File, 'type'>): Kind => {
  const [kind] = type.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'other';
};

const nouns: Record<Kind, string> = {
  image: 'picture',
  audio: 'audio',
  video: 'video',
  other: 'file',
};

export const spokenOf = (file: File): string => `${nouns[kindOf(file)]}: ${file.alt ?? file.name}`;
