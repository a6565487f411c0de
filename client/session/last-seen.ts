/**
 * Saves the user’s lists, some servers, and the newest messages of some channels and conversations on this device. The
 * app shows them when it opens without a connection.
 */
import type { DBSchema } from 'idb';
import type { People } from '../../shared/people.ts';
import type { Ready } from '../../shared/protocol.ts';
import { serverRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { channels } from '../channels/channels.svelte.ts';
import { connection } from '../connection/connection.svelte.ts';
import { build } from '../connection/version.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { database } from '../device/database.ts';
import { signedInAs } from '../device/signed-in-as.ts';
import { lastSeenDatabase } from '../device/storage.ts';
import { holders } from '../features.ts';
import { upload } from '../files/attached.svelte.ts';
import { visited } from '../navigation/visited.ts';
import { serverOf } from '../notifications/muting.ts';
import { people } from '../people/people.svelte.ts';
import { ownStatus } from '../presence/own-status.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { withQuotes } from '../replies/received-quotes.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { slicesOf, sync } from './room-store.ts';
import type { RoomSnapshot } from '../sync/room-replica.ts';

/** Limits of saved rooms; the latest visited are saved. */
const maxTimelines = 10;
const maxServers = 3;

const saveEveryMs = 120_000;
/** Age after which saved state is not shown, in milliseconds. */
const lifetimeMs = 30 * 24 * 60 * 60 * 1_000;

interface SavedTimeline {
  snapshot: RoomSnapshot;
  /** Undefined for conversations. */
  serverId: string | undefined;
  isPrivate: boolean;
}

/** The fields of `ready` that the page uses. */
type SavedReady = RoomSnapshot &
  Pick<
    Ready,
    'epoch' | 'fileBytes' | 'you' | 'administers' | 'canCreateServers' | 'seenAs' | 'timelines'
  >;

interface LastSeen {
  /** Another build can expect other fields. */
  build: string | null | undefined;
  /** When it was current. */
  at: number;
  ready: SavedReady;
  timelines: SavedTimeline[];
  servers: RoomSnapshot[];
}

interface Schema extends DBSchema {
  lastSeen: { key: string; value: LastSeen };
}

const key = 'all';
const saved = database<Schema>(lastSeenDatabase, 'lastSeen');

/** Shows the saved state, unless the server answers first. */
export async function open(onSignedIn: (ready: Ready) => void): Promise<void> {
  const found = await load();
  if (!found || account.you || connection.state.is === 'ended') return;
  const { ready, servers, timelines, at } = found;
  if (ready.you.id !== signedInAs()) return;
  onSignedIn(ready as unknown as Ready);
  upload.maxBytes = ready.fileBytes;
  sync.restore([...servers, ...timelines.map(({ snapshot }) => snapshot)], at);
}

/** Undefined if nothing is saved, or it is too old or from another build. */
async function load(): Promise<LastSeen | undefined> {
  const found = await saved((db) => db.get('lastSeen', key));
  const isUsable = found?.build === build && Date.now() - (found?.at ?? 0) < lifetimeMs;
  return isUsable ? found : undefined;
}

/** Read in advance, because a closing page has no time. Read again when visible, because another tab can have saved. */
let before: LastSeen | undefined;
const readBefore = async () => (before = (await load()) ?? before);

// Saves when the page is hidden, because that can be its last event. A page that is closed can be too late for that, so
// it saves from time to time, too.
document.addEventListener('visibilitychange', () => {
  void (document.hidden ? save() : readBefore());
});
setInterval(() => {
  if (versions() !== savedVersions) void readBefore().then(save);
}, saveEveryMs);
void readBefore().then(save);

let savedVersions = '';
const versions = () => sync.rooms.map((room) => `${room} ${sync.version(room) ?? ''}`).join();

async function save(): Promise<void> {
  const seen = gather();
  if (!seen) return;
  before = seen;
  savedVersions = versions();
  await saved(async (db) => {
    const transaction = db.transaction('lastSeen', 'readwrite');
    void transaction.store.put(seen, key);
    // Commits now, because closing the page would abort it.
    transaction.commit();
    await transaction.done;
  });
}

function gather(): LastSeen | undefined {
  const { you, administers, canCreateServers } = account;
  const own = you && snapshotOf(userRoom(you.id));
  // Another tab can have signed out, and another user can have signed in there.
  if (!own || signedInAs() !== you.id) return undefined;
  const isSame = before?.ready.you.id === you.id && before.ready.epoch === sync.epoch;
  const earlier = isSame ? before : undefined;
  const timelines = timelinesNow(earlier);
  const servers = serversNow(timelines, earlier);
  const ready: SavedReady = {
    ...own,
    ...{ epoch: sync.epoch, fileBytes: upload.maxBytes, you, seenAs: ownStatus.chosen },
    ...(administers && { administers }),
    canCreateServers,
    people: peopleIn([own, timelines, servers]),
    timelines: Object.fromEntries(reads.all),
  };
  return { build, at: sync.connectedAt, ready, timelines, servers };
}

/** Keeps timelines that an earlier page saved and this page has not opened, while the user can see them. */
function timelinesNow(earlier: LastSeen | undefined): SavedTimeline[] {
  return visited()
    .recent.slice(0, maxTimelines)
    .flatMap((id) => {
      const room = timelineRoom(id);
      const found = earlier?.timelines.find(({ snapshot }) => snapshot.room === room);
      const snapshot = timelineNow(id) ?? found?.snapshot;
      const serverId = serverOf(id) ?? found?.serverId;
      const isPrivate = !!channels.getPrivate(id) || !!found?.isPrivate;
      const timeline = snapshot && { snapshot, serverId, isPrivate };
      return timeline && isVisible(id, timeline) ? timeline : [];
    });
}

function isVisible(id: string, { serverId, isPrivate }: SavedTimeline): boolean {
  if (serverId === undefined) return conversations.get(id) !== undefined;
  if (isPrivate) return channels.getPrivate(id) !== undefined;
  // The channels of a server are unknown until it is opened.
  return servers.has(serverId) && (!channels.of(serverId) || !!channels.get(serverId, id));
}

function serversNow(timelines: SavedTimeline[], earlier: LastSeen | undefined): RoomSnapshot[] {
  const rooms = new Set(
    timelines.flatMap(({ serverId }) => (serverId ? serverRoom(serverId) : [])),
  );
  return [...rooms].slice(0, maxServers).flatMap((room: Room) => {
    return snapshotOf(room) ?? earlier?.servers.find((server) => server.room === room) ?? [];
  });
}

/** Adds the newest state of quotes, because the quoted messages are often not saved. */
function timelineNow(id: string): RoomSnapshot | undefined {
  const snapshot = snapshotOf(timelineRoom(id));
  if (!snapshot || !('messages' in snapshot.state)) return snapshot;
  return { ...snapshot, state: { messages: [...withQuotes(id, snapshot.state.messages)] } };
}

/** The state of a room as a snapshot without people; undefined if it is not complete. */
function snapshotOf(room: Room): RoomSnapshot | undefined {
  const version = sync.keptVersion(room);
  const slices = slicesOf(room).map((slice) => [slice, holders[slice].in(room)] as const);
  if (version === undefined || slices.some(([, rows]) => !rows)) return undefined;
  const state = slices.map(([slice, rows = []]) => [slice, [...rows].map(([, row]) => row)]);
  return {
    ...{ status: 'snapshot', room, version, people: {} },
    state: Object.fromEntries(state) as RoomSnapshot['state'],
  };
}

/** The people whose ids occur in rows. */
function peopleIn(rows: unknown): People {
  const ids = JSON.stringify(rows).match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [];
  const known = [...new Set(ids)].map((id) => [id, people.get(id)] as const);
  return Object.fromEntries(known.filter(([, { rev }]) => rev > 0));
}
