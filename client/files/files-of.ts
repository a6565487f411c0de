/** What a message carries of files, sent or on its way; and how that is kept on this device. */
import type { File } from '../../shared/files.ts';
import { asRecord } from '../device/storage.ts';
import type { MessageItem } from '../messages/lines.ts';

export const filesOf = ({
  message,
  entry,
}: Pick<MessageItem, 'message' | 'entry'>): readonly File[] =>
  message?.files ?? entry?.extras.files ?? [];

export function readFiles(found: unknown): File[] {
  return Array.isArray(found) ? found.filter(isFile) : [];
}

function isFile(found: unknown): found is File {
  const { id, name, type, size, width = 1, height = 1, alt = '' } = asRecord(found);
  return (
    [id, name, type, alt].every((one) => typeof one === 'string') &&
    [size, width, height].every((one) => typeof one === 'number')
  );
}
