/** P3, second half, and P4: without further traffic, all clients end with the state of the database. */
import type { Finding } from '../findings.ts';
import type { Ended, Holding, Stored } from '../history.ts';

export const checkSame = ({ stored, holdings, history }: Ended): Finding[] =>
  holdings
    .filter(({ userId }) => history.present.includes(userId))
    .flatMap((holding) =>
      differences(holding, stored).map((text): Finding => ({
        promise: 'P3',
        kind: 'different',
        text: `${holding.who} ${text}`,
      })),
    );

function differences(holding: Holding, stored: Stored): string[] {
  const { connected, servers, members, timelines, userId } = holding;
  if (!connected) return ['is not connected'];
  const isMember = userId in stored.members;
  if (!isMember)
    return servers.includes(stored.serverId) || Object.keys(timelines).length > 0
      ? ['is no member, and holds something of the server']
      : [];
  return [
    ...(servers.includes(stored.serverId) ? [] : ['is a member, and does not know it']),
    ...(isSame(members, stored.members) ? [] : ['holds other members than there are']),
    ...stored.timelines.flatMap((timeline) => differencesIn(timeline, holding)),
  ];
}

/** Compares the held messages with the newest stored ones: a client need not read the whole history. */
function differencesIn(
  { id, version, messages }: Stored['timelines'][0],
  holding: Holding,
): string[] {
  const held = holding.timelines[id];
  const name = `timeline ${id.slice(-4)}`;
  if (held === undefined) return [`is a member, and is not in ${name}`];
  const at = holding.versions[`timeline:${id}`];
  if (at !== version) return [`is at version ${at} of ${version} in ${name}`];
  const true_ = messages.slice(-held.length || messages.length);
  const wrong = true_.findIndex(({ id, body, version }, i) => {
    const row = held[i];
    return row?.id !== id || row.body !== body || row.version !== version;
  });
  if (wrong === -1) return [];
  const said = (row?: { position: number; body: string }) => `“${row?.body}” at ${row?.position}`;
  return [`holds ${said(held[wrong])} in ${name}, where ${said(true_[wrong])} is true`];
}

const isSame = (one: Record<string, string>, other: Record<string, string>) =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => other[key] === value);
