import { randomUUID } from 'node:crypto';
import { ChatError, type Failure, failureOf } from '../../shared/failure.ts';
import { isCommandName, type Result } from '../../shared/protocol.ts';
import { isAway, isFull, sqlState } from '../database/database.ts';
import { truncate, logSparingly, type Logger } from './log.ts';

export async function attempt<T>(
  node: { log: Logger },
  name: unknown,
  work: () => Promise<T>,
): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: toFailure(node, error, name) };
  }
}

/** Turns an error into a failure that clients can see. All but a ChatError are logged, with the request's id. */
export function toFailure({ log }: { log: Logger }, error: unknown, name: unknown): Failure {
  const requestId = randomUUID();
  if (error instanceof ChatError) return { ...failureOf(error), requestId };
  const fields = { requestId, command: truncate(name), err: error };
  if (isAway(error)) {
    const event = isFull(error) ? 'the database’s disk is full' : 'the database is unavailable';
    logSparingly(log, 'warn', event, fields);
    const why = isFull(error)
      ? 'The server’s disk is full.'
      : 'The server can’t reach its database.';
    const busy = new ChatError('busy', `${why} Try again shortly.`);
    return { ...failureOf(busy), requestId };
  }
  const about = isCommandName(name) ? name : 'else';
  const kind = [about, error instanceof Error && error.name, sqlState(error)].join(' ');
  logSparingly(log, 'error', 'a request failed', fields, kind);
  const fault = new ChatError('internal', 'The server hit an error.');
  return { ...failureOf(fault), requestId };
}
