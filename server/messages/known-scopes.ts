/** Caches scopes, so that a flush locks without asking what to lock. The flush checks them together with the locks. */
import { serversOfChannels } from '../channels/access.ts';
import { locksOfConversations } from '../conversations/access.ts';
import type { Db } from '../database/database.ts';
import type { Node } from '../caller.ts';
import { perNode } from '../node/per-node.ts';
import { scopesOf, type TimelineScope, type TimelineScopes } from './access.ts';

const maxKnown = 10_000;

export interface KnownScopes {
  /** Returns the scope of each timeline that existed when this node read it. */
  of(db: Db, timelineIds: string[]): Promise<TimelineScopes>;
  /** Returns the timelines that have another scope now, or none, and removes them from the cache. */
  changed(db: Db, scopes: TimelineScopes): Promise<ReadonlySet<string>>;
  reset(): void;
}

export const knownScopesOn = perNode((node: Node) => {
  const scopes = openKnownScopes();
  node.parts.push(scopes);
  return scopes;
});

function openKnownScopes(): KnownScopes {
  const known = new Map<string, TimelineScope>();

  const remember = (id: string, scope: TimelineScope): void => {
    known.delete(id);
    known.set(id, scope);
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  };

  return {
    async of(db, timelineIds) {
      const unknown = timelineIds.filter((id) => !known.has(id));
      const read: TimelineScopes = unknown.length === 0 ? new Map() : await scopesOf(db, unknown);
      const scopes = new Map<string, TimelineScope>();
      for (const id of timelineIds) {
        const scope = read.get(id) ?? known.get(id);
        if (scope === undefined) continue;
        scopes.set(id, scope);
        remember(id, scope);
      }
      return scopes;
    },
    async changed(db, scopes) {
      const ids = [...scopes.keys()];
      const isChannel = (id: string) => scopes.get(id)?.serverId !== undefined;
      const [servers, locks] = await Promise.all([
        serversOfChannels(db, ids.filter(isChannel)),
        locksOfConversations(
          db,
          ids.filter((id) => !isChannel(id)),
        ),
      ]);
      const now = new Map([...servers, ...locks]);
      const changed = ids.filter((id) => now.get(id) !== scopes.get(id)?.lock);
      for (const id of changed) known.delete(id);
      return new Set(changed);
    },
    reset: () => known.clear(),
  };
}
