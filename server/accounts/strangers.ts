import { InviteCode, type InvitePreview } from '../../shared/invites.ts';
import type { Refusal } from '../../shared/protocol.ts';
import { takeForNetworks } from '../http/address.ts';
import { previewInvite } from '../invites/access.ts';
import { isUnclaimed } from '../invites/invites.ts';
import { attempt } from '../node/attempt.ts';
import { cachedFor } from '../node/cached.ts';
import { readInstanceSettings, settingsFrom } from '../node/instance-settings.ts';
import { perNode } from '../node/per-node.ts';
import { contextForStrangers, type Context, type Node } from '../caller.ts';

export async function greetStranger(
  context: Context,
  { address, invite }: { address: string; invite: unknown },
): Promise<Partial<Refusal>> {
  return {
    ...(await settings(context)),
    ...(await preview(context, address, invite)),
    ...(await unclaimed(context)),
  };
}

/**
 * Read at most once a second, however many strangers arrive. While the database is unavailable, the page shows what was
 * read last.
 */
const latestSettings = perNode((node: Node) => {
  const { db } = contextForStrangers(node);
  let latest = settingsFrom(node.config, {});
  const read = async () => {
    const result = await attempt(node, 'settings', () => readInstanceSettings(db, node.config));
    if (result.ok) latest = result.value;
    return latest;
  };
  return cachedFor(1_000, read, node.clock);
});

async function settings({ node }: Context): Promise<Partial<Refusal>> {
  const { name, registration, guests } = await latestSettings(node)();
  return { ...(name !== '' && { name }), registration, guests };
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
