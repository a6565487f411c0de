/** The client's own connection (client/sync/connection.ts), with a cookie and without a browser. */
import { io } from 'socket.io-client';
import {
  Connection,
  NoResponse,
  protocol,
  socketOptions,
  type ConnectionHandlers,
} from '../../client/sync/connection.ts';
import type { Pace } from '../../client/sync/pace.ts';
import { ChatError } from '../../shared/failure.ts';

export interface ConnectionOptions {
  url: string;
  /** The public address, if `url` is a proxy to it. */
  origin: string;
  cookie: string;
}

export function connectionTo(
  { url, origin, cookie }: ConnectionOptions,
  handlers: Partial<ConnectionHandlers> = {},
  options: { pace?: Pace } = {},
): Connection {
  const extraHeaders = { origin, cookie };
  const socket = io(url, { ...socketOptions, forceNew: true, auth: { protocol }, extraHeaders });
  const all = {
    prepare: () => Promise.resolve(true),
    ready: () => undefined,
    changed: () => undefined,
    ...handlers,
  };
  return new Connection(socket, all, options);
}

/** Runs `work`. @throws the reason for the end of the connection, if the answer is missing because of it */
export async function unlessEnded<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const end = endOf(connection);
  if (end) throw end;
  return work().catch((error: unknown) => {
    throw (error instanceof NoResponse ? endOf(connection) : undefined) ?? error;
  });
}

function endOf({ state }: Connection): ChatError | undefined {
  if (state.is !== 'ended') return undefined;
  const { closing, refusal } = state;
  return closing
    ? new ChatError('unauthenticated', closing.reason)
    : new ChatError(refusal.code, refusal.message);
}
