import { v7 } from 'uuid';
import type { Server } from '../../shared/servers.ts';
import { signIn } from './sign-in.ts';
import { ReplayConnection } from './connection.ts';

export interface Hosted {
  host: ReplayConnection;
  server: Server;
  invite: string;
}

export async function hostServer(url: string, name: string): Promise<Hosted> {
  const { cookie } = await signIn(url, 'register', {
    username: `host-${v7().slice(-12)}`,
    // Random, because the host never signs in again.
    password: v7() + v7(),
    displayName: 'Host',
  });
  const host = new ReplayConnection(url, cookie);
  const { server } = await host.ask('server:create', { name, id: v7() });
  const { invite } = await host.ask('invite:create', { serverId: server.id });
  return { host, server, invite: invite.code };
}
