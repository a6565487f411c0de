import { InviteCode, type InvitePreview } from '../../shared/invites.ts';
import type { Refusal } from '../../shared/protocol.ts';
import { takeForNetworks } from '../http/address.ts';
import { isUnclaimed, previewInvite } from '../invites/invites.ts';
import { attempt } from '../node/attempt.ts';
import type { Context } from '../caller.ts';

export async function greetStranger(
  context: Context,
  { address, invite }: { address: string; invite: unknown },
): Promise<Partial<Refusal>> {
  const { node } = context;
  return {
    registration: node.config.PARLEY_REGISTRATION,
    guests: node.config.PARLEY_GUESTS,
    ...(await preview(context, address, invite)),
    ...(await unclaimed(context)),
  };
}

async function preview(
  context: Context,
  address: string,
  invite: unknown,
): Promise<{ invite?: InvitePreview }> {
  const { node } = context;
  const code = InviteCode.safeParse(invite);
  if (!code.success) return {};
  const result = await attempt(node, 'invite', async () => {
    await takeForNetworks(node, 'invitePerAddress', address);
    return previewInvite(context, code.data);
  });
  return result.ok ? { invite: result.value } : {};
}

/** Returns nothing while the database is unavailable, so that the page still opens. */
async function unclaimed(context: Context): Promise<Partial<Refusal>> {
  const result = await attempt(context.node, 'unclaimed', () => isUnclaimed(context));
  return result.ok && result.value ? { unclaimed: true } : {};
}
