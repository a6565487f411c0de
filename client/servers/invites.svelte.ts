/** The invite links of one server, while they are looked at. They are no room state. */
import type { Invite } from '../../shared/invites.ts';
import { account } from '../accounts/account.svelte.ts';
import { send } from '../socket.ts';
import { words } from '../words.ts';
import { usual, type Terms } from './terms.ts';

export const linkTo = ({ code }: { code: string }) => `${location.origin}/join/${code}`;

/** The last that was made to be given away. */
let given: { by: string; invite: Invite } | undefined;
/** For how long it is given away again, in ms. */
const sameFor = 3_600_000;

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

  async create({ seconds, uses }: Terms): Promise<Invite> {
    const [expiresInSeconds, maxUses] = [Number(seconds), Number(uses)];
    const { invite } = await send('invite:create', {
      serverId: this.#serverId,
      ...(expiresInSeconds && { expiresInSeconds }),
      ...(maxUses && { maxUses }),
    });
    this.list = [invite, ...(this.list ?? [])];
    return invite;
  }

  /** A link to give away: asked for again soon, it is the same, unless it was revoked. */
  async give(): Promise<Invite> {
    const known = given?.by === account.id ? given.invite : undefined;
    if (known?.serverId === this.#serverId && (await isGood(known))) return known;
    const invite = await this.create(usual);
    given = { by: account.id, invite };
    return invite;
  }

  async revoke(code: string) {
    await send('invite:delete', { code });
    this.list = this.list?.filter((invite) => invite.code !== code);
  }
}

async function isGood({ code, createdAt }: Invite): Promise<boolean> {
  if (Date.now() - Date.parse(createdAt) > sameFor) return false;
  return send('invite:get', { code }).then(
    () => true,
    () => false,
  );
}

/** How long it lasts and how often it works, in one line. */
export function termsOf({ expiresAt, maxUses, uses }: Invite, now = Date.now()): string {
  const used = maxUses === null ? `used ${uses} times` : `${uses} of ${maxUses} uses`;
  if (expiresAt === null) return `${used} · never expires`;
  const hours = Math.ceil((Date.parse(expiresAt) - now) / 3_600_000);
  if (hours <= 0) return `${used} · expired`;
  return `${used} · ${hours > 48 ? `${Math.ceil(hours / 24)} days` : `${hours} h`} left`;
}
