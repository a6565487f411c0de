/** Changes to servers, apart from their rows, because only dialogs need them. */
import type { Input } from '../../shared/protocol.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import { account } from '../accounts/account.svelte.ts';
import { send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import { servers } from './servers.svelte.ts';

export const createServer = async (name: string): Promise<Server> =>
  joined(await send('server:create', { name, id: newId() }));

export const joinServer = async (code: string): Promise<Server> =>
  joined(await send('server:join', { code }));

export async function askToJoin(code: string): Promise<void> {
  await send('joinRequest:create', { code });
}

export async function cancelRequest(serverId: string): Promise<void> {
  await send('joinRequest:cancel', { serverId });
}

export async function updateServer(
  serverId: string,
  what: Omit<Input<'server:update'>, 'serverId'>,
): Promise<void> {
  const { server } = await send('server:update', { serverId, ...what });
  servers.rows.apply(serverRoom(serverId), [{ row: server }]);
}

export async function deleteServer(serverId: string): Promise<void> {
  await send('server:delete', { serverId });
}

export async function leaveServer(serverId: string): Promise<void> {
  await send('server:leave', { serverId });
}

function joined({ server }: { server: Server }): Server {
  servers.rows.apply(userRoom(account.id), [{ row: server }]);
  return server;
}
