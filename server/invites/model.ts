import { DataTypes } from 'sequelize';
import { table } from '../database/table.ts';

export interface InviteRow {
  code: string;
  serverId: string;
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  maxUses: number | null;
  uses: number;
  /** Guests can use it. */
  guests: boolean;
  /** Makes a registered user who uses it the owner of a server without one. */
  ownership: boolean;
}

export const invites = table<InviteRow>('invites', {
  code: { type: DataTypes.TEXT, primaryKey: true },
  serverId: DataTypes.UUID,
  createdBy: DataTypes.UUID,
  createdAt: DataTypes.DATE,
  expiresAt: DataTypes.DATE,
  maxUses: DataTypes.INTEGER,
  uses: DataTypes.INTEGER,
  guests: DataTypes.BOOLEAN,
  ownership: DataTypes.BOOLEAN,
});
