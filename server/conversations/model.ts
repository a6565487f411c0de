import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface ConversationRow {
  id: string;
  kind: 'pair' | 'group';
  name: string | null;
  creatorId: string;
  /** The two people of a pair, in the order of their ids; null for groups. */
  lowId: string | null;
  highId: string | null;
  createdAt: Date;
}

export const conversations = table<ConversationRow>('conversations', {
  id: { type: DataTypes.UUID, primaryKey: true },
  kind: DataTypes.TEXT,
  name: DataTypes.TEXT,
  creatorId: DataTypes.UUID,
  lowId: DataTypes.UUID,
  highId: DataTypes.UUID,
  createdAt: DataTypes.DATE,
});

export interface ParticipantRow {
  conversationId: string;
  userId: string;
  hiddenUntil: number | null;
  /** The sender of the request; null once it is answered. */
  requestedBy: string | null;
  requestedAt: Date | null;
  ignored: boolean;
  version: number;
}

export const participants = table<ParticipantRow>('participants', {
  conversationId: { type: DataTypes.UUID, primaryKey: true },
  userId: { type: DataTypes.UUID, primaryKey: true },
  hiddenUntil: DataTypes.BIGINT,
  requestedBy: DataTypes.UUID,
  requestedAt: DataTypes.DATE,
  ignored: DataTypes.BOOLEAN,
  version: DataTypes.BIGINT,
});
