import type { Socket } from 'socket.io-client';
import type { CommandName, Input, Output, Result } from '../../shared/protocol.ts';
import type { ClientSocket } from '../support/person.ts';

export async function ask<C extends CommandName>(
  socket: ClientSocket,
  command: C,
  input: Input<C>,
): Promise<Output<C>> {
  // With a timeout, the types of Socket.IO lose the type of the ack.
  const asked = (socket as Socket).timeout(60_000).emitWithAck(command, input);
  const result = (await asked) as Result<Output<C>>;
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
