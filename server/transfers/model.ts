import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface TransferRow {
  serverId: string;
  fromId: string;
  toId: string;
  createdAt: Date;
  fromVersion: number;
  toVersion: number;
}

export const transfers = table<TransferRow>('transfers', {
  serverId: { type: DataTypes.UUID, primaryKey: true },
  fromId: DataTypes.UUID,
  toId: DataTypes.UUID,
  createdAt: DataTypes.DATE,
  fromVersion: DataTypes.BIGINT,
  toVersion: DataTypes.BIGINT,
});
