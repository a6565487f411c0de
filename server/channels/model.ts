import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface ChannelRow {
  id: string;
  serverId: string;
  name: string;
  foldedName: string;
  topic: string;
  categoryId: string | null;
  position: number;
  private: boolean;
  announcements: boolean;
  slowSeconds: number;
  /** Null: none. */
  senderRoleIds: string[] | null;
  callerRoleIds: string[] | null;
  viewerRoleIds: string[] | null;
  createdAt: Date;
  version: number;
}

export const channels = table<ChannelRow>('channels', {
  id: { type: DataTypes.UUID, primaryKey: true },
  serverId: DataTypes.UUID,
  name: DataTypes.TEXT,
  foldedName: DataTypes.TEXT,
  topic: DataTypes.TEXT,
  categoryId: DataTypes.UUID,
  position: DataTypes.DOUBLE,
  private: DataTypes.BOOLEAN,
  announcements: DataTypes.BOOLEAN,
  slowSeconds: DataTypes.INTEGER,
  senderRoleIds: DataTypes.ARRAY(DataTypes.UUID),
  callerRoleIds: DataTypes.ARRAY(DataTypes.UUID),
  viewerRoleIds: DataTypes.ARRAY(DataTypes.UUID),
  createdAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
});
