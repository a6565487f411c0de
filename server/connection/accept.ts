/** Accepts sockets: the handshake, then `ready` before anything else, then commands. */
import { personIdOf } from '../../shared/accounts.ts';
import type { Closing } from '../../shared/protocol.ts';
import { countAnswers } from '../admission/answered-bytes.ts';
import type { EngineConnection } from '../admission/connection-slots.ts';
import { openPacketBudgets } from '../admission/packet-budgets.ts';
import type { Node } from '../caller.ts';
import { acceptCommands } from '../command.ts';
import { penaltyKeys } from '../realtime/backpressure.ts';
import { closeSocket } from '../realtime/sockets.ts';
import { authenticate, guestsAt, type CallerSocket } from './handshake.ts';
import { sendReady } from './ready.ts';

/** Attaches the sockets to the node: call once, before listening. */
export function acceptSockets(node: Node): void {
  const { io } = node;
  io.engine.use(node.session);
  const packets = openPacketBudgets(node, (connection) => cutOff(node, connection));
  const claimed = new WeakSet<EngineConnection>();
  const meter = ({ conn, data: { caller } }: CallerSocket) => {
    packets.join(conn, caller.user.id);
    countAnswers(node, conn, personIdOf(caller.user));
  };
  io.use((socket, next) => {
    const { conn } = socket;
    if (claimed.has(conn)) {
      // Socket.IO refuses a second socket on a connection, but only once the first handshake is over.
      conn.close(true);
      next(new Error('only one socket is allowed for each connection'));
      return;
    }
    claimed.add(conn);
    void authenticate(node, socket).then((error) => {
      if (error !== undefined) claimed.delete(conn);
      else meter(socket);
      next(error);
    }, next);
  });
  io.on('connection', (socket) => {
    const ready = sendReady(node, socket);
    acceptCommands(socket.data.caller, socket, {
      ready,
      isTooMuch: () => packets.isExhausted(socket.conn),
    });
  });
}

function cutOff(node: Node, connection: EngineConnection): void {
  const sockets = [...node.io.of('/').sockets.values()];
  const socket = sockets.find(({ conn }) => conn === connection);
  if (socket === undefined) connection.close(true);
  else
    closeSocket(socket, {
      ...flood,
      retryAfterMs: node.penalties.add([...penaltyKeys(socket), ...guestKeys(socket)], floodMs),
    });
}

/** All guests at the address must wait, because a guest could return as a new one. */
const guestKeys = ({ data: { caller } }: CallerSocket): string[] =>
  caller.user.kind === 'guest' ? [guestsAt(caller.address)] : [];

const flood: Closing = {
  code: 'flood',
  reason: 'This client sends far more than it’s allowed to.',
  retry: true,
};
/** The shortest wait before a client that floods can connect again. */
const floodMs = 60_000;
