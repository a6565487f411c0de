import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface ServerRow {
  id: string;
  name: string;
  defaultChannelId: string;
  iconId: string | null;
  messageRequests: boolean;
  closedToGuests: boolean;
  approval: boolean;
  noPreviews: boolean;
  createdAt: Date;
  version: number;
  /** Set above PARLEY_LARGE_SERVER members; cleared again well below it. */
  large: boolean;
}

export const servers = table<ServerRow>('servers', {
  id: { type: DataTypes.UUID, primaryKey: true },
  name: DataTypes.TEXT,
  defaultChannelId: DataTypes.UUID,
  iconId: DataTypes.UUID,
  messageRequests: DataTypes.BOOLEAN,
  closedToGuests: DataTypes.BOOLEAN,
  approval: DataTypes.BOOLEAN,
  noPreviews: DataTypes.BOOLEAN,
  createdAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
  large: DataTypes.BOOLEAN,
});
