import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface ServerRow {
  id: string;
  name: string;
  defaultChannelId: string;
  /** The file that is its picture. */
  iconId: string | null;
  createdAt: Date;
  version: number;
  /** It has, or once had, more members than can be told of one by one. */
  large: boolean;
}

export const servers = table<ServerRow>('servers', {
  id: { type: DataTypes.UUID, primaryKey: true },
  name: DataTypes.TEXT,
  defaultChannelId: DataTypes.UUID,
  iconId: DataTypes.UUID,
  createdAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
  large: DataTypes.BOOLEAN,
});
