/** Reads an account from its row of `users`, for every store that joins that table. */
import type { Account } from '../../shared/accounts.ts';
import type { StatusText } from '../../shared/people.ts';

export interface AccountRow {
  id: string;
  kind: Account['kind'];
  username: string | null;
  displayName: string;
  rev: number;
  ownerId: string | null;
  avatarId: string | null;
  statusText: StatusText | null;
}

export const accountColumns = `users.id, users.kind, users.username, users.display_name as "displayName", users.rev,
  users.bot_owner_id as "ownerId", users.avatar_id as "avatarId", users.status_text as "statusText"`;

export const toAccount = ({
  id,
  displayName: name,
  username,
  kind,
  rev,
  ownerId,
  avatarId,
  statusText,
}: AccountRow): Account => ({
  ...{ id, name, username, kind, rev },
  ...(ownerId !== null && { ownerId }),
  ...(avatarId !== null && { avatar: avatarId }),
  ...liveStatusText(statusText),
});

/** Returns no field if there is no status text, or if it has ended. */
export const liveStatusText = (statusText: StatusText | null): { statusText?: StatusText } =>
  statusText === null || isOver(statusText) ? {} : { statusText };

const isOver = ({ until }: StatusText) => until !== undefined && Date.parse(until) <= Date.now();
