/**
 * When the user loses access to an open place: leaves its page at once, shows the reason, and drops its data from
 * memory. When the user gets access again, removes the notice and returns the unsent draft to its composer.
 */
import type { Change } from '../../shared/changes.ts';
import type { BanNotice } from '../../shared/members.ts';
import { serverRoom, splitRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf } from '../conversations/naming.ts';
import { drafts, writeDraft } from '../messages/drafts.ts';
import { takeWritten } from '../messages/unsent-text.ts';
import { servers } from '../servers/servers.svelte.ts';
import { onChange, whenMovedOut } from '../session/change-listeners.ts';
import { sync } from '../session/room-store.ts';
import { fullTime } from '../ui/dates.ts';
import { navigation } from './navigation.svelte.ts';
import { notices } from './notices.svelte.ts';

const mine = new Set<string>();

/** Suppresses the notice for a place that the user is about to leave or delete. */
export const expectEnd = (id: string) => mine.add(id);

const wasDeleted = (name: string) => `${name} was deleted.`;

const ended = {
  'server:deleted': wasDeleted,
  'server:removed': (name: string) => `You were removed from ${name}.`,
  'server:left': (name: string) => `You left ${name}.`,
};

const bannedFrom = (name: string, { until }: BanNotice) =>
  `You were banned from ${name}.` +
  // With the date, because the notice can be read days later.
  (until === null ? '' : ` The ban ends on ${fullTime(new Date(until))}.`);

const endedPrivate = {
  'privateChannel:deleted': wasDeleted,
  'privateChannel:removed': (name: string) => `You were removed from ${name}.`,
  'privateChannel:left': (name: string) => `You left ${name}.`,
};

/** Channels of servers that the user was moved out of: `server:removed` arrives after they are dropped. */
const left = new Map<string, string[]>();

export function watchAccess(): () => void {
  const stops = [
    onChange((room, change) => {
      if (change.type === 'channel:deleted') channelEnded(room, change.channelId, wasDeleted);
      else if (change.type === 'channel:closed') channelClosed(room, change.channelId);
      else if (change.type === 'conversation:removed' || change.type === 'conversation:left')
        conversationEnded(change.conversationId);
      else if (isEnd(change)) serverEnded(change.serverId, sentenceOf(change));
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

/** Call it before a snapshot replaces the user’s room, and the returned function after: it reports ended places. */
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

type ServerEnd = Extract<Change, { type: keyof typeof ended }>;

const isEnd = (change: Change): change is ServerEnd => change.type in ended;

function sentenceOf(change: ServerEnd): (name: string) => string {
  if (!('ban' in change) || !change.ban) return ended[change.type];
  const { ban } = change;
  return (name) => bannedFrom(name, ban);
}

const isPrivateEnd = (
  change: Change,
): change is Extract<Change, { type: keyof typeof endedPrivate }> => change.type in endedPrivate;

/** Members of the channel already have it as a private channel, by a change in their own room. */
function channelClosed(room: Room, channelId: string): void {
  if (!channels.getPrivate(channelId))
    channelEnded(room, channelId, (name) => `${name} is private now.`);
}

function privateEnded(channelId: string, sentence: (name: string) => string): void {
  const channel = channels.getPrivate(channelId);
  // If the server has ended too, its notice is enough.
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
    notify(channelId, sentence(name === undefined ? 'A channel' : `#${name}`), here, written);
}

function conversationEnded(id: string): void {
  const conversation = conversations.get(id);
  const written = takeWritten(id);
  sync.drop(timelineRoom(id));
  const { place } = navigation;
  const here = place.page === 'direct' && place.conversationId === id;
  if (here) navigation.replace({ page: 'direct' });
  const name = conversation ? nameOf(conversation) : 'A conversation';
  if (!mine.delete(id) || written) notify(id, `You’re no longer in ${name}.`, here, written);
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
  for (const [id, text] of written) notify(id, sentence(name), here, text);
  if (!mine.delete(serverId) && written.length === 0) notify(serverId, sentence(name), here, '');
}

/** Reports a place that is not open only if it had an unsent draft. */
function notify(place: string, text: string, here: boolean, written: string): void {
  const whole = written ? `${text} You had an unsent draft there.` : text;
  if (here) notices.showEnd(whole, written, place);
  else if (written) notices.show(whole, written, place);
}

/** Must be called within an effect. */
export function watchReturns(): void {
  notices.retract(isMine, (id, draft) => {
    writeDraft(id, [draft, drafts.get(id)].filter(Boolean).join('\n\n'));
  });
}

const isMine = (id: string): boolean =>
  servers.has(id) ||
  conversations.get(id) !== undefined ||
  servers.mine.some((server) => channels.get(server.id, id));
