/** The invite links of one server, while they are looked at. They are no room state. */
import type { Invite } from '../../shared/invites.ts';
import { send } from '../socket.ts';
import { words } from '../words.ts';

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

  async create(expiresInSeconds: number | undefined, maxUses: number | undefined): Promise<Invite> {
    const { invite } = await send('invite:create', {
      serverId: this.#serverId,
      ...(expiresInSeconds && { expiresInSeconds }),
      ...(maxUses && { maxUses }),
    });
    this.list = [invite, ...(this.list ?? [])];
    return invite;
  }

  async revoke(code: string) {
    await send('invite:delete', { code });
    this.list = this.list?.filter((invite) => invite.code !== code);
  }
}

/** How long it lasts and how often it works, in one line. */
export function termsOf({ expiresAt, maxUses, uses }: Invite, now = Date.now()): string {
  const used = maxUses === null ? `used ${uses} times` : `${uses} of ${maxUses} uses`;
  if (expiresAt === null) return `${used} · never expires`;
  const hours = Math.ceil((Date.parse(expiresAt) - now) / 3_600_000);
  if (hours <= 0) return `${used} · expired`;
  return `${used} · ${hours > 48 ? `${Math.ceil(hours / 24)} days` : `${hours} h`} left`;
}
