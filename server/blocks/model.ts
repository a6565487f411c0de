import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface BlockRow {
  userId: string;
  blockedId: string;
  createdAt: Date;
  version: number;
}

export const blocks = table<BlockRow>('blocks', {
  userId: { type: DataTypes.UUID, primaryKey: true },
  blockedId: { type: DataTypes.UUID, primaryKey: true },
  createdAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
});
