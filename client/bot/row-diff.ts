/** Computes the changes between two snapshots of a room, because a room without a history does not send them. */
import type { Change, Row } from '../../shared/changes.ts';
import { changeShapes, type ChangeType, type SliceName } from '../../shared/rooms.ts';

/** The change types for added, changed and removed rows of each slice. A snapshot does not carry the reason. */
const ways: Record<SliceName, { came: ChangeType; changed: ChangeType; went?: ChangeType }> = {
  servers: { came: 'server:joined', changed: 'server:updated', went: 'server:left' },
  taskCounts: {
    came: 'taskCount:updated',
    changed: 'taskCount:updated',
    went: 'taskCount:deleted',
  },
  transfers: { came: 'transfer:created', changed: 'transfer:created', went: 'transfer:deleted' },
  privateChannels: {
    came: 'privateChannel:joined',
    changed: 'privateChannel:updated',
    went: 'privateChannel:left',
  },
  emoji: { came: 'emoji:created', changed: 'emoji:created', went: 'emoji:deleted' },
  roles: { came: 'role:created', changed: 'role:updated', went: 'role:deleted' },
  categories: { came: 'category:created', changed: 'category:updated', went: 'category:deleted' },
  channels: { came: 'channel:created', changed: 'channel:updated', went: 'channel:deleted' },
  members: { came: 'member:joined', changed: 'member:updated', went: 'member:left' },
  messages: { came: 'message:created', changed: 'message:updated', went: 'message:deleted' },
  conversations: {
    came: 'conversation:created',
    changed: 'conversation:updated',
    went: 'conversation:left',
  },
  friendships: {
    came: 'friendship:created',
    changed: 'friendship:updated',
    went: 'friendship:deleted',
  },
  friendRequests: {
    came: 'friendRequest:created',
    changed: 'friendRequest:updated',
    went: 'friendRequest:deleted',
  },
  /** A block never changes. */
  blocks: { came: 'block:created', changed: 'block:created', went: 'block:deleted' },
  notificationSettings: {
    came: 'notificationSetting:updated',
    changed: 'notificationSetting:updated',
    went: 'notificationSetting:deleted',
  },
  sidebarLists: {
    came: 'sidebarList:updated',
    changed: 'sidebarList:updated',
  },
};

export function diffRows(
  slice: SliceName,
  before: ReadonlyMap<string, Row>,
  now: ReadonlyMap<string, Row>,
  version: number,
): Change[] {
  const { came, changed, went } = ways[slice];
  const changes: Change[] = [];
  if (went)
    for (const id of before.keys()) if (!now.has(id)) changes.push(change(went, version, id));
  for (const [id, row] of now) {
    const known = before.get(id);
    if (known === undefined) changes.push(change(came, row.version, row));
    else if (row.version > known.version) changes.push(change(changed, row.version, row));
  }
  return changes;
}

function change(type: ChangeType, version: number, what: Row | string): Change {
  const shape = changeShapes[type];
  const field = 'row' in shape ? shape.row : shape.gone;
  return { type, version, [field]: what } as unknown as Change;
}
