/** The invite links of one server, while they are looked at. They are no room state. */
import type { Invite } from '../../shared/invites.ts';
import { send } from '../session/socket.ts';
import { words } from '../session/error-text.ts';
import type { Terms } from './terms.ts';

export const linkTo = ({ code }: { code: string }) => `${location.origin}/join/${code}`;

export class Invites {
  list = $state.raw<readonly Invite[]>();
  failure = $state<string>();

  readonly #serverId: string;

  constructor(serverId: string) {
    this.#serverId = serverId;
  }

  async load() {
    this.failure = undefined;
    try {
      this.list = (await send('invite:list', { serverId: this.#serverId })).invites;
    } catch (error) {
      this.failure = words(error);
    }
  }

  /** With `another` it is a new one, even where one's own of today would do. */
  async create({ seconds, uses }: Terms, another?: 'another'): Promise<Invite> {
    const [expiresInSeconds, maxUses] = [Number(seconds), Number(uses)];
    const { invite } = await send('invite:create', {
      serverId: this.#serverId,
      ...(expiresInSeconds && { expiresInSeconds }),
      ...(maxUses && { maxUses }),
      ...(another && { another: true }),
    });
    // It may be one that was there.
    this.list = [invite, ...(this.list ?? []).filter(({ code }) => code !== invite.code)];
    return invite;
  }

  async revoke(code: string) {
    await send('invite:delete', { code });
    this.list = this.list?.filter((invite) => invite.code !== code);
  }
}
