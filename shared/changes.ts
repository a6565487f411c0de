/** The schemas of changes, made from rooms.ts: the row or key of each shape, with the version of the change. */
import { z } from 'zod';
import { Block } from './blocks.ts';
import { Category } from './categories.ts';
import { PrivateChannel, PublicChannel } from './channels.ts';
import { Version } from './contract.ts';
import { CustomEmoji } from './emoji.ts';
import { Conversation } from './conversations.ts';
import { FriendRequest, Friendship } from './friends.ts';
import { BanNotice, Member } from './members.ts';
import { Message } from './messages.ts';
import { NotificationSetting } from './notifications.ts';

import { CustomRole } from './roles.ts';
import {
  changeShapes,
  sliceKeys,
  type ChangeShapes,
  type ChangeType,
  type SliceName,
} from './rooms.ts';
import { Server } from './servers.ts';
import { SidebarList } from './sidebar.ts';
import { TaskCount } from './tasks.ts';
import { Transfer } from './transfers.ts';

export const rows = {
  servers: Server,
  transfers: Transfer,
  taskCounts: TaskCount,
  privateChannels: PrivateChannel,
  categories: Category,
  channels: PublicChannel,
  members: Member,
  emoji: CustomEmoji,
  roles: CustomRole,
  messages: Message,
  conversations: Conversation,
  friendships: Friendship,
  friendRequests: FriendRequest,
  blocks: Block,
  notificationSettings: NotificationSetting,
  sidebarLists: SidebarList,
} satisfies Record<SliceName, z.ZodType>;

export type Row<S extends SliceName = SliceName> = z.infer<(typeof rows)[S]>;

export type Change = { [T in ChangeType]: ChangeOf<T> }[ChangeType];

export type ChangeOf<T extends ChangeType> = {
  type: T;
  version: number;
} & (T extends keyof typeof more ? z.infer<z.ZodObject<(typeof more)[T]>> : unknown) &
  (ChangeShapes[T] extends {
    slice: infer S extends SliceName;
    row: infer R extends string;
  }
    ? Record<R, Row<S>>
    : ChangeShapes[T] extends { gone: infer G extends string }
      ? Record<G, string>
      : never);

const more = {
  /** Present only if the user was banned. */
  'server:removed': { ban: BanNotice.optional() },
};

export function changeSchema(type: ChangeType): z.ZodType {
  const shape = changeShapes[type];
  return z.strictObject({
    type: z.literal(type),
    version: Version,
    ...('row' in shape ? { [shape.row]: rows[shape.slice] } : { [shape.gone]: keyOf(shape.slice) }),
    ...(type in more && more[type as keyof typeof more]),
  });
}

const keyOf = (slice: SliceName) =>
  (rows[slice].shape as Record<string, z.ZodType>)[sliceKeys[slice]] ?? z.never();
