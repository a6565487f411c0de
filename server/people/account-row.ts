/** Reads an account from its row of `users`, for every store that joins that table. */
import type { Account } from '../../shared/accounts.ts';

export interface AccountRow {
  id: string;
  kind: Account['kind'];
  username: string | null;
  displayName: string;
  rev: number;
  ownerId: string | null;
  avatarId: string | null;
}

export const accountColumns = `users.id, users.kind, users.username, users.display_name as "displayName", users.rev,
  users.bot_owner_id as "ownerId", users.avatar_id as "avatarId"`;

export const toAccount = ({
  id,
  displayName: name,
  username,
  kind,
  rev,
  ownerId,
  avatarId,
}: AccountRow): Account => ({
  ...{ id, name, username, kind, rev },
  ...(ownerId !== null && { ownerId }),
  ...(avatarId !== null && { avatar: avatarId }),
});
