/** The crowd itself, which door.ts starts: guests who have come in by HTTP, each with a socket. */
import { once } from 'node:events';
import { v7 } from 'uuid';
import type { Result } from '../../shared/protocol.ts';
import { cookieOf, openSocket, post, type ClientSocket } from '../../test/support/person.ts';
import type { Errand } from './door.ts';
import { body, keepSaying, type Load } from './load.ts';

const sockets: ClientSocket[] = [];
let timelineIds: string[] = [];
let stopping = new AbortController();

// Ctrl-C is for all in the terminal; when to go is for the bench to say.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (errand: Errand) => {
  if (errand.do === 'stop') stopping.abort();
  else void carryOut(errand).then((answer) => process.send?.(answer));
});

async function carryOut(errand: Exclude<Errand, { do: 'stop' }>): Promise<unknown> {
  if (errand.do === 'keep saying') return sayFor(errand.load, errand.seconds);
  timelineIds = errand.timelineIds;
  while (sockets.length < errand.senders)
    sockets.push(await comeIn(errand.url, `Person ${sockets.length}`));
  return 'here';
}

async function comeIn(url: string, displayName: string): Promise<ClientSocket> {
  const response = await post(url, '/api/auth/guest', { displayName });
  if (!response.ok) throw new Error(await response.text());
  const socket = openSocket(url, cookieOf(response));
  await once(socket as never, 'ready');
  return socket;
}

function sayFor(load: Load, seconds: number) {
  stopping = new AbortController();
  const say = async (sender: number, timeline: number) => {
    const input = { id: v7(), timelineId: timelineIds[timeline] ?? '', body };
    // With a time-out, Socket.IO's types lose what the ack is of.
    const result = (await sockets[sender]
      ?.timeout(15_000)
      .emitWithAck('message:send', input)) as Result<unknown>;
    if (!result.ok) throw new Error(result.error.message);
  };
  return keepSaying(load, say, seconds, stopping.signal);
}
