import { DataTypes } from 'sequelize';
import type { Role } from '../../shared/permissions.ts';
import { table } from '../database/table.ts';

export interface MemberRow {
  serverId: string;
  userId: string;
  role: Role;
  nickname: string | null;
  /** Null: none. */
  roleIds: string[] | null;
  joinedAt: Date;
  version: number;
  userVersion: number;
}

export const members = table<MemberRow>('members', {
  serverId: { type: DataTypes.UUID, primaryKey: true },
  userId: { type: DataTypes.UUID, primaryKey: true },
  role: DataTypes.TEXT,
  nickname: DataTypes.TEXT,
  roleIds: DataTypes.ARRAY(DataTypes.UUID),
  joinedAt: DataTypes.DATE,
  version: DataTypes.BIGINT,
  userVersion: DataTypes.BIGINT,
});
