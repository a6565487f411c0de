import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../../shared/failure.ts';
import type { File } from '../../shared/files.ts';
import type { Input } from '../../shared/protocol.ts';
import { waitBefore } from '../sync/backoff.ts';
import type { BotConnection } from './connection.ts';
import { BotError, refused } from './failures.ts';

export interface BotFile {
  name: string;
  bytes: Uint8Array;
  alt?: string;
  /** Stores the file unchanged, even if it can reveal where it was taken. */
  asSent?: boolean;
}

type Attached = NonNullable<Input<'message:send'>['files']>[number];

/** Resumes an upload that the server has in part under this id. Returns the file's reference for a message. */
export async function uploadFile(
  command: BotConnection['command'],
  { id, timelineId }: { id: string; timelineId: string },
  { name, bytes, alt, asSent }: BotFile,
): Promise<Attached> {
  const begin = { id, timelineId, name, size: bytes.length };
  const { chunkBytes, offset } = await command('file:begin', begin);
  for (let at = offset; at < bytes.length;) {
    const chunk = { fileId: id, offset: at, bytes: bytes.subarray(at, at + chunkBytes) };
    ({ offset: at } = await command('file:chunk', chunk));
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await command('file:finish', { fileId: id, sha256, ...(asSent && { asSent }) });
  return { id, ...(alt !== undefined && { alt }) };
}

/** @throws BotError */
export async function readFile(
  { url, token }: { url: string; token: string },
  { id, name }: Pick<File, 'id' | 'name'>,
): Promise<Uint8Array> {
  const address = new URL(`/files/${id}/${encodeURIComponent(name)}`, url);
  for (let attempt = 0; ; attempt += 1) {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } }).catch(
      () => undefined,
    );
    if (answer === undefined)
      throw new BotError('unreachable', `${address.href} didn’t answer.`, { url });
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    const { error } = (await answer.json()) as { error: Failure };
    if (!error.retryable) throw refused(`Reading ${name}`, error, url);
    await sleep(error.retryAfterMs ?? waitBefore(attempt) / 2);
  }
}
