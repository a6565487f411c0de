/** Losing access while looking: the view leaves at once, says why, and nothing of it stays in memory. */
import type { Change } from '../../shared/changes.ts';
import { serverRoom, splitRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { channels } from '../channels/channels.svelte.ts';
import { timelines } from '../messages/messages.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { listen } from '../listening.ts';
import { letGo } from '../sync.ts';
import { navigation } from './navigation.svelte.ts';
import { notices } from './notices.svelte.ts';

const mine = new Set<string>();

/** What I am about to end myself needs no notice. */
export const expectEnd = (id: string) => mine.add(id);

const ended = {
  'server:deleted': (name: string) => `${name} was deleted.`,
  'server:removed': (name: string) => `You were removed from ${name}.`,
  'server:left': (name: string) => `You left ${name}.`,
};

/** Answers with how to stop. */
export function watchAccess(): () => void {
  return listen((room, change) => {
    if (change.type === 'channel:deleted') channelEnded(room, change.channelId);
    else if (isEnd(change)) serverEnded(change.serverId, ended[change.type]);
  });
}

const isEnd = (change: Change): change is Extract<Change, { type: keyof typeof ended }> =>
  change.type in ended;

function channelEnded(room: Room, channelId: string): void {
  const serverId = splitRoom(room).id;
  const name = channels.get(serverId, channelId)?.name;
  const draft = takeDraft(channelId);
  letGo(timelineRoom(channelId));
  const { place } = navigation;
  if (place.page !== 'server' || place.channelId !== channelId) return;
  navigation.replace({ page: 'server', serverId });
  if (!mine.delete(channelId) && name) notices.tell(`#${name} was deleted.`, draft);
}

function serverEnded(serverId: string, sentence: (name: string) => string): void {
  const name = servers.get(serverId)?.name;
  const { place } = navigation;
  const here = place.page === 'server' && place.serverId === serverId ? place : undefined;
  const draft = here?.channelId ? takeDraft(here.channelId) : '';
  for (const { id } of channels.of(serverId) ?? []) letGo(timelineRoom(id));
  letGo(serverRoom(serverId));
  if (!here) return;
  navigation.replace({ page: 'home' });
  if (!mine.delete(serverId) && name) notices.tell(sentence(name), draft);
}

function takeDraft(timelineId: string): string {
  const timeline = timelines.of(timelineId);
  const { draft } = timeline;
  timeline.draft = '';
  return draft;
}
