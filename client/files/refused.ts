import { limits } from '../../shared/limits.ts';
import { sizeText } from '../../shared/file-size.ts';

const maxNamed = 3;

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** `maxBytes`: the largest size in bytes, 0 if uploads are off. `room`: how many files the message can still take. */
export function sortOut<F extends { name: string; size: number }>(
  files: readonly F[],
  { maxBytes, room }: { maxBytes: number; room: number },
): { fitting: F[]; refused: string | undefined } {
  if (maxBytes === 0) return { fitting: [], refused: 'Uploads are turned off on this server.' };
  const [empty, large] = [files.filter(isEmpty), files.filter(({ size }) => size > maxBytes)];
  const able = files.filter((file) => !isEmpty(file) && file.size <= maxBytes);
  const beyond = able.slice(room);
  const sentences = [
    ...about(empty, (names, are) => `${names} ${are} empty.`),
    ...about(large, (names, are) => `${names} ${are} larger than ${sizeText(maxBytes)}.`),
    ...about(
      beyond,
      (names) =>
        `A message can have up to ${limits.filesPerMessage} files, so ${names} didn’t fit.`,
    ),
  ];
  return {
    fitting: able.slice(0, room),
    refused: sentences.length === 0 ? undefined : sentences.join(' '),
  };
}

const isEmpty = ({ size }: { size: number }) => size === 0;

function about(
  files: readonly { name: string }[],
  sentence: (names: string, are: string) => string,
): string[] {
  if (files.length === 0) return [];
  const named = files.slice(0, maxNamed).map(({ name }) => `“${name}”`);
  const more = files.length - named.length;
  const names = list.format(more === 0 ? named : [...named, `${more} more`]);
  return [sentence(names, files.length === 1 ? 'is' : 'are')];
}
