import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface ServerRow {
  id: string;
  name: string;
  defaultChannelId: string;
  createdAt: Date;
  version: number;
}

export const servers = table<ServerRow>('servers', {
  id: { type: DataTypes.UUID, primaryKey: true },
  name: DataTypes.TEXT,
  defaultChannelId: DataTypes.UUID,
  createdAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
});
