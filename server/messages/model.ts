import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface MessageRow {
  id: string;
  timelineId: string;
  authorId: string;
  position: number;
  version: number;
  body: string;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
  deletedBy: string | null;
}

export const messages = table<MessageRow>('messages', {
  id: { type: DataTypes.UUID, primaryKey: true },
  timelineId: DataTypes.UUID,
  authorId: DataTypes.UUID,
  position: DataTypes.BIGINT,
  version: DataTypes.BIGINT,
  body: DataTypes.TEXT,
  createdAt: DataTypes.DATE,
  editedAt: DataTypes.DATE,
  deletedAt: DataTypes.DATE,
  deletedBy: DataTypes.UUID,
});
