import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface FriendRequestRow {
  id: string;
  senderId: string;
  recipientId: string;
  note: string;
  createdAt: Date;
  /** True when it was declined, which its sender does not see. */
  hidden: boolean;
  senderVersion: number;
  recipientVersion: number;
}

export const friendRequests = table<FriendRequestRow>('friend_requests', {
  id: { type: DataTypes.UUID, primaryKey: true },
  senderId: DataTypes.UUID,
  recipientId: DataTypes.UUID,
  note: DataTypes.TEXT,
  createdAt: DataTypes.DATE,
  hidden: DataTypes.BOOLEAN,
  senderVersion: DataTypes.BIGINT,
  recipientVersion: DataTypes.BIGINT,
});

/** One person's side of a friendship. */
export interface FriendshipRow {
  userId: string;
  friendId: string;
  id: string;
  nickname: string | null;
  favourite: boolean;
  createdAt: Date;
  version: number;
}

export const friendships = table<FriendshipRow>('friendships', {
  userId: { type: DataTypes.UUID, primaryKey: true },
  friendId: { type: DataTypes.UUID, primaryKey: true },
  id: DataTypes.UUID,
  nickname: DataTypes.TEXT,
  favourite: DataTypes.BOOLEAN,
  createdAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
});
