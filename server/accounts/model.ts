import { DataTypes } from 'sequelize';
import type { StatusText } from '../../shared/people.ts';
import type { UserKind } from '../../shared/permissions.ts';
import { table } from '../database/table.ts';

export interface UserRow {
  id: string;
  kind: UserKind;
  /** Null for guests and bots. */
  username: string | null;
  displayName: string;
  /** Null for guests and bots. */
  passwordHash: string | null;
  /** When the password was last reset with a link; null after the user changes it. */
  passwordResetAt: Date | null;
  rev: number;
  /** The owner of a bot; null for people. */
  ownerId: string | null;
  avatarId: string | null;
  statusText: StatusText | null;
  suspendedAt: Date | null;
  createdAt: Date;
}

export const users = table<UserRow>('users', {
  id: { type: DataTypes.UUID, primaryKey: true },
  kind: DataTypes.TEXT,
  username: DataTypes.TEXT,
  displayName: DataTypes.TEXT,
  passwordHash: DataTypes.TEXT,
  passwordResetAt: DataTypes.DATE,
  rev: DataTypes.INTEGER,
  ownerId: { type: DataTypes.UUID, field: 'bot_owner_id' },
  avatarId: DataTypes.UUID,
  statusText: DataTypes.JSONB,
  suspendedAt: DataTypes.DATE,
  createdAt: DataTypes.DATE,
});
