/** PostgreSQL logs to a file instead of a pipe, because it can outlive Node and must never wait for a reader. */
import { open, readFile, stat } from 'node:fs/promises';

const maxBytes = 1_000_000;

export interface LogFile {
  descriptor: number;
  /** Returns the text written since the file was opened. */
  read(): Promise<string>;
  close(): Promise<void>;
}

export async function openLogFile(cluster: string): Promise<LogFile> {
  const path = `${cluster}.log`;
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  const truncates = size > maxBytes;
  const file = await open(path, truncates ? 'w' : 'a', 0o600);
  return {
    descriptor: file.fd,
    read: async () => (await readFile(path)).subarray(truncates ? 0 : size).toString('utf8'),
    close: () => file.close(),
  };
}
