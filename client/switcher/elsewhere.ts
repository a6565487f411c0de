/** Finds by name, on the server: channels of servers that were not opened, and people; if none, messages. */
import type { FoundChannel } from '../../shared/channels.ts';
import type { FoundMember } from '../../shared/members.ts';
import type { Output } from '../../shared/protocol.ts';
import { QueryProblem, readQuery } from '../../shared/search-query.ts';
import { account } from '../accounts/account.svelte.ts';
import { findListedMembers, findRegistered } from '../people/find.ts';
import { people } from '../people/people.svelte.ts';
import { withMoments } from '../search/filters.ts';
import { send } from '../session/socket.ts';

export interface Elsewhere {
  channels: readonly FoundChannel[];
  members: readonly FoundMember[];
  /** The ids of people who possibly share no place with the user. */
  registered: readonly string[];
  messages: Pick<Output<'message:search'>, 'hits' | 'channels'>;
}

const noMessages: Elsewhere['messages'] = { hits: [], channels: [] };
export const nothing: Elsewhere = {
  channels: [],
  members: [],
  registered: [],
  messages: noMessages,
};

const maxMessages = 3;

/** `isKnown`: the client knows a place or person by that name. */
export async function findElsewhere(query: string, isKnown: boolean): Promise<Elsewhere> {
  const [{ channels }, members] = await Promise.all([
    send('channel:search', { query }),
    findListedMembers(query),
  ]);
  // Users have few global searches a day, so only search if no nearer match exists.
  const isNear = channels.length + members.length > 0;
  const registered = isNear || account.isGuest ? [] : await findRegistered(query);
  const isAnywhere = isKnown || isNear || registered.length > 0;
  const messages = isAnywhere ? noMessages : await findMessages(query);
  return { channels, members, registered: registered.map(({ id }) => id), messages };
}

export async function findChannels(query: string): Promise<Elsewhere> {
  const { channels } = await send('channel:search', { query });
  return { ...nothing, channels };
}

async function findMessages(query: string): Promise<Elsewhere['messages']> {
  if (readQuery(query) instanceof QueryProblem) return noMessages;
  const found = await send('message:search', { query: withMoments(query), limit: maxMessages });
  people.receive(found.people);
  return found;
}

export const idsOf = ({ channels, members, registered }: Elsewhere): Set<string> =>
  new Set([...channels.map(({ id }) => id), ...members.map(({ userId }) => userId), ...registered]);
