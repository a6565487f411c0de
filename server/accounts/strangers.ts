/** What the sign-in page shows somebody who has not signed in. */
import { InviteCode, type InvitePreview } from '../../shared/invites.ts';
import type { Refusal } from '../../shared/protocol.ts';
import type { App } from '../app.ts';
import { previewInvite } from '../invites/invites.ts';
import { attempt } from '../node/attempt.ts';
import { isUnclaimed } from '../servers/lobby.ts';
import { takeForNetworks } from './entry-limits.ts';

/** Who may sign up, where the invite leads, and whether this Parley has no owner yet. */
export async function greetStranger(
  app: App,
  { address, invite }: { address: string; invite: unknown },
): Promise<Partial<Refusal>> {
  return {
    registration: app.config.PARLEY_REGISTRATION,
    guests: app.config.PARLEY_GUESTS,
    ...(await preview(app, address, invite)),
    ...(await unclaimed(app)),
  };
}

async function preview(
  app: App,
  address: string,
  invite: unknown,
): Promise<{ invite?: InvitePreview }> {
  const code = InviteCode.safeParse(invite);
  if (!code.success) return {};
  const result = await attempt(app, 'invite', async () => {
    await takeForNetworks(app, 'invitePerAddress', address);
    return previewInvite(app, code.data);
  });
  return result.ok ? { invite: result.value } : {};
}

/** If the database is away, the page is shown without it. */
async function unclaimed(app: App): Promise<Partial<Refusal>> {
  const result = await attempt(app, 'unclaimed', () => isUnclaimed(app));
  return result.ok && result.value ? { unclaimed: true } : {};
}
