import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface CategoryRow {
  id: string;
  serverId: string;
  name: string;
  position: number;
  createdAt: Date;
  version: number;
}

export const categories = table<CategoryRow>('categories', {
  id: { type: DataTypes.UUID, primaryKey: true },
  serverId: DataTypes.UUID,
  name: DataTypes.TEXT,
  position: DataTypes.DOUBLE,
  createdAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
});
