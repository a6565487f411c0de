/** The files of a message, sent or unsent, and their form in this device's storage. */
import type { File } from '../../shared/files.ts';
import { asRecord } from '../device/storage.ts';
import type { MessageItem } from '../messages/lines.ts';

/** A file of a draft. */
export interface DraftFile extends File {
  /** The server may not have all of it. */
  pending?: true;
}

export const filesOf = ({
  message,
  entry,
}: Pick<MessageItem, 'message' | 'entry'>): readonly DraftFile[] =>
  message?.files ?? entry?.extras.files ?? [];

export function readFiles(found: unknown): DraftFile[] {
  return Array.isArray(found) ? found.filter(isFile) : [];
}

function isFile(found: unknown): found is DraftFile {
  const { id, name, type, size, width = 1, height = 1, alt = '' } = asRecord(found);
  return (
    [id, name, type, alt].every((one) => typeof one === 'string') &&
    [size, width, height].every((one) => typeof one === 'number')
  );
}
