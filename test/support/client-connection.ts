/** The client's own connection (client/sync/connection.ts), of somebody who has a cookie and no browser. */
import { io } from 'socket.io-client';
import {
  Connection,
  NoResponse,
  protocol,
  socketOptions,
  type ConnectionHandlers,
} from '../../client/sync/connection.ts';
import { ChatError } from '../../shared/failure.ts';

export interface ConnectionOptions {
  url: string;
  /** The address that people use, if `url` is a wire to it. */
  origin: string;
  cookie: string;
}

export function connectionTo(
  { url, origin, cookie }: ConnectionOptions,
  handlers: Partial<ConnectionHandlers> = {},
): Connection {
  const extraHeaders = { origin, cookie };
  const socket = io(url, { ...socketOptions, forceNew: true, auth: { protocol }, extraHeaders });
  return new Connection(socket, {
    prepare: () => Promise.resolve(true),
    ready: () => undefined,
    changed: () => undefined,
    ...handlers,
  });
}

/** Does it. @throws why the connection has ended, if that is why there is no answer */
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
