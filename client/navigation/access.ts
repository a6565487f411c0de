/**
 * Losing access while looking: the view leaves at once, says why, and nothing of it stays in memory. Where I am let
 * in again, that goes, and what I had written stands there as before.
 */
import type { Change } from '../../shared/changes.ts';
import { serverRoom, splitRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf } from '../conversations/naming.ts';
import { drafts, writeDraft } from '../messages/drafts.ts';
import { takeWritten } from '../messages/unsent-text.ts';
import { servers } from '../servers/servers.svelte.ts';
import { listen, whenMovedOut } from '../session/change-listeners.ts';
import { sync } from '../session/room-store.ts';
import { navigation } from './navigation.svelte.ts';
import { notices } from './notices.svelte.ts';

const mine = new Set<string>();

/** What I am about to end myself needs no notice. */
export const expectEnd = (id: string) => mine.add(id);

const wasDeleted = (name: string) => `${name} was deleted.`;

const ended = {
  'server:deleted': wasDeleted,
  'server:removed': (name: string) => `You were removed from ${name}.`,
  'server:left': (name: string) => `You left ${name}.`,
};

/** How a channel ends that was private. */
const endedPrivate = {
  'privateChannel:deleted': wasDeleted,
  'privateChannel:removed': (name: string) => `You were removed from ${name}.`,
  'privateChannel:left': (name: string) => `You left ${name}.`,
};

/** The channels of servers that I was moved out of: the word of it comes when they are gone. */
const left = new Map<string, string[]>();

/** Answers with how to stop. */
export function watchAccess(): () => void {
  const stops = [
    listen((room, change) => {
      if (change.type === 'channel:deleted') channelEnded(room, change.channelId, wasDeleted);
      else if (change.type === 'channel:closed') channelClosed(room, change.channelId);
      else if (change.type === 'conversation:removed' || change.type === 'conversation:left')
        conversationEnded(change.conversationId);
      else if (isEnd(change)) serverEnded(change.serverId, ended[change.type]);
      else if (isPrivateEnd(change)) privateEnded(change.channelId, endedPrivate[change.type]);
    }),
    whenMovedOut((room) => {
      const { kind, id } = splitRoom(room);
      if (kind === 'server') left.set(id, channelIds(id));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** What I belong to before my room is read anew. Call the answer after that: it tells what ended while I was away. */
export function notePlaces(): () => void {
  const before = servers.mine;
  const groups = conversations.all;
  const me = account.id;
  return () => {
    if (account.id !== me) return;
    for (const { id, name } of before)
      if (!servers.has(id)) serverEnded(id, () => `You no longer have access to ${name}.`);
    for (const { id } of groups) if (!conversations.get(id)) conversationEnded(id);
  };
}

const channelIds = (serverId: string) => (channels.of(serverId) ?? []).map(({ id }) => id);

const isEnd = (change: Change): change is Extract<Change, { type: keyof typeof ended }> =>
  change.type in ended;

const isPrivateEnd = (
  change: Change,
): change is Extract<Change, { type: keyof typeof endedPrivate }> => change.type in endedPrivate;

/** Who is to stay in it has heard so by now, in their own room. */
function channelClosed(room: Room, channelId: string): void {
  if (!channels.getPrivate(channelId))
    channelEnded(room, channelId, (name) => `${name} is private now.`);
}

function privateEnded(channelId: string, sentence: (name: string) => string): void {
  const channel = channels.getPrivate(channelId);
  // With its server all has been said.
  if (channel && servers.has(channel.serverId))
    channelEnded(serverRoom(channel.serverId), channelId, sentence);
}

function channelEnded(room: Room, channelId: string, sentence: (name: string) => string): void {
  const serverId = splitRoom(room).id;
  const name = channels.get(serverId, channelId)?.name;
  const written = takeWritten(channelId);
  sync.drop(timelineRoom(channelId));
  const { place } = navigation;
  const here = place.page === 'server' && place.channelId === channelId;
  if (here) navigation.replace({ page: 'server', serverId });
  if (!mine.delete(channelId) || written)
    tell(channelId, sentence(name === undefined ? 'A channel' : `#${name}`), here, written);
}

function conversationEnded(id: string): void {
  const conversation = conversations.get(id);
  const written = takeWritten(id);
  sync.drop(timelineRoom(id));
  const { place } = navigation;
  const here = place.page === 'direct' && place.conversationId === id;
  if (here) navigation.replace({ page: 'direct' });
  const name = conversation ? nameOf(conversation) : 'A conversation';
  if (!mine.delete(id) || written) tell(id, `You’re no longer in ${name}.`, here, written);
}

function serverEnded(serverId: string, sentence: (name: string) => string): void {
  const name = servers.get(serverId)?.name ?? 'a server';
  const ids = left.get(serverId) ?? channelIds(serverId);
  left.delete(serverId);
  const written = ids.map((id) => [id, takeWritten(id)] as const).filter(([, text]) => text);
  for (const id of ids) sync.drop(timelineRoom(id));
  sync.drop(serverRoom(serverId));
  const { place } = navigation;
  const here = place.page === 'server' && place.serverId === serverId;
  if (here) navigation.replace({ page: 'home' });
  for (const [id, text] of written) tell(id, sentence(name), here, text);
  if (!mine.delete(serverId) && written.length === 0) tell(serverId, sentence(name), here, '');
}

/** What ends elsewhere is news only if I had written there. */
function tell(place: string, text: string, here: boolean, written: string): void {
  if (written) notices.tell(`${text} You had an unsent draft there.`, written, place);
  else if (here) notices.tell(text, '', place);
}

/** To be tracked. */
export function watchReturns(): void {
  notices.retract(isMine, (id, draft) => {
    writeDraft(id, [draft, drafts.get(id)].filter(Boolean).join('\n\n'));
  });
}

const isMine = (id: string): boolean =>
  servers.has(id) ||
  conversations.get(id) !== undefined ||
  servers.mine.some((server) => channels.get(server.id, id));
