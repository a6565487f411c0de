import type { Invite } from '../../shared/invites.ts';
import { LoadedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';
import type { Terms } from './terms.ts';

export const linkTo = ({ code }: { code: string }) => `${location.origin}/join/${code}`;

export class Invites extends LoadedList<Invite> {
  /** The end of a pause, which can be over. Undefined until loaded. */
  pausedUntil = $state<string | null>();
  readonly #serverId: string;

  constructor(serverId: string) {
    super();
    this.#serverId = serverId;
  }

  protected async read() {
    const { invites, pausedUntil } = await send('invite:list', { serverId: this.#serverId });
    this.pausedUntil = pausedUntil;
    return invites;
  }

  /** `another` forces a new link. Otherwise the server can return the link that the user created today. */
  async create({ seconds, uses, guests }: Terms, another?: 'another'): Promise<Invite> {
    const [expiresInSeconds, maxUses] = [Number(seconds), Number(uses)];
    const { invite } = await send('invite:create', {
      serverId: this.#serverId,
      ...(expiresInSeconds && { expiresInSeconds }),
      ...(maxUses && { maxUses }),
      ...(!guests && { guests }),
      ...(another && { another: true }),
    });
    // It can be an existing link.
    this.list = [invite, ...(this.list ?? []).filter(({ code }) => code !== invite.code)];
    return invite;
  }

  /** 0 seconds ends the pause. */
  async pause(seconds: number) {
    const { pausedUntil } = await send('invite:pause', { serverId: this.#serverId, seconds });
    this.pausedUntil = pausedUntil;
  }

  async revoke(code: string) {
    await send('invite:delete', { code });
    this.list = this.list?.filter((invite) => invite.code !== code);
  }
}
