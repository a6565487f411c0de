import { literal, Op } from 'sequelize';
import type { Invite } from '../../shared/invites.ts';
import { quotas } from '../../shared/quotas.ts';
import { query, within, type Db } from '../database/database.ts';
import { invites, type InviteRow } from './model.ts';

/** Uses the database’s clock, common to all nodes. A suspended account’s invites are unusable until it is restored. */
const usable = {
  [Op.and]: [
    literal('(expires_at is null or expires_at > clock_timestamp())'),
    literal('(max_uses is null or uses < max_uses)'),
    literal(
      'not exists (select 1 from users where users.id = created_by and suspended_at is not null)',
    ),
  ],
};

const toInvite = ({
  code,
  serverId,
  createdBy,
  createdAt,
  expiresAt,
  maxUses,
  uses,
  guests,
}: InviteRow): Invite => {
  const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
  return { code, serverId, createdBy, ...times, maxUses, uses, guests };
};

export interface StoredInvite extends Invite {
  ownership: boolean;
}

const toStored = (row: InviteRow): StoredInvite => ({ ...toInvite(row), ownership: row.ownership });

/** Also finds expired and used-up invites. */
export async function findInvite(db: Db, code: string): Promise<StoredInvite | undefined> {
  const row = await invites(db).findByPk(code, within(db));
  return row === null ? undefined : toStored(row.get());
}

export async function findUsableInvite(db: Db, code: string): Promise<StoredInvite | undefined> {
  const row = await invites(db).findOne({ where: { code, ...usable }, ...within(db) });
  return row === null ? undefined : toStored(row.get());
}

export async function findUsableInvites(db: Db, serverId: string): Promise<Invite[]> {
  const where = { serverId, ownership: false, ...usable };
  const rows = await invites(db).findAll({
    where,
    order: [['createdAt', 'DESC'], 'code'],
    limit: quotas.invitesPerServer,
    ...within(db),
  });
  return rows.map((row) => toInvite(row.get()));
}

export async function findOwnershipCode(db: Db, serverId: string): Promise<string | undefined> {
  const row = await invites(db).findOne({
    where: { serverId, ownership: true, ...usable },
    ...within(db),
  });
  return row?.get().code;
}

export async function insertInvite(
  db: Db,
  invite: Pick<InviteRow, 'code' | 'serverId'> & Partial<InviteRow>,
): Promise<Invite> {
  const row = await invites(db).create(invite, within(db));
  return toInvite(row.get());
}

/** Takes one use if one is left. One statement, so that concurrent requests cannot exceed `maxUses`. */
export async function takeUse(db: Db, code: string): Promise<boolean> {
  const where = { code, ...usable };
  const [taken] = await invites(db).update({ uses: literal('uses + 1') }, { where, ...within(db) });
  return taken === 1;
}

export async function deleteInvite(db: Db, code: string): Promise<void> {
  await invites(db).destroy({ where: { code }, ...within(db) });
}

/** Deletes ended invites of a server, except the latest `invitesPerServer`. */
export async function deleteLongEnded(db: Db, serverId: string): Promise<void> {
  await query(
    db,
    `delete from invites where code in (
       select code from invites
       where server_id = $1 and not ownership
         and (expires_at <= clock_timestamp() or uses >= max_uses)
       order by created_at desc, code offset $2)`,
    [serverId, quotas.invitesPerServer],
  );
}

export async function deleteInvitesBy(
  db: Db,
  serverId: string,
  createdBy: string[],
): Promise<void> {
  await invites(db).destroy({ where: { serverId, createdBy }, ...within(db) });
}
