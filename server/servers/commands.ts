import type { serverCommands } from '../../shared/servers.ts';
import type { Handlers } from '../caller.ts';
import {
  createServer,
  deleteServer,
  listServers,
  openServer,
  updateServer,
  joinServer,
  leaveServer,
} from './servers.ts';

export const serverHandlers: Handlers<keyof typeof serverCommands> = {
  'server:create': async (caller, input) => ({ server: await createServer(caller, input) }),
  'server:list': async (caller) => ({ servers: await listServers(caller) }),
  'server:open': (caller, input) => openServer(caller, input),
  'server:update': async (caller, input) => ({ server: await updateServer(caller, input) }),
  'server:delete': (caller, input) => deleteServer(caller, input),
  'server:join': async (caller, input) => ({ server: await joinServer(caller, input) }),
  'server:leave': (caller, input) => leaveServer(caller, input),
};
