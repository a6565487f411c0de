/** The files of a message, sent or unsent, and their format in this device's storage. */
import type { File } from '../../shared/files.ts';
import type { Message } from '../../shared/messages.ts';
import { asRecord } from '../device/storage.ts';

export interface DraftFile extends File {
  /** Set while the server does not have all of it. */
  pending?: true;
}

interface Said {
  message?: Pick<Message, 'files'>;
  entry?: { extras: { files?: readonly DraftFile[] } };
}

export const filesOf = ({ message, entry }: Said): readonly DraftFile[] =>
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
