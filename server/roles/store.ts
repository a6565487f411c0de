import type { CustomRole } from '../../shared/roles.ts';
import { named, query, type Db } from '../database/database.ts';

type RoleRow = Omit<CustomRole, 'createdAt'> & { createdAt: Date };

const toRole = ({ createdAt, ...row }: RoleRow): CustomRole => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

const columns = `id, server_id as "serverId", name, color, mark, permissions, position,
  created_at as "createdAt", version`;

const rolesOf = named(`select ${columns} from roles where server_id = $1 order by position, id`);

export async function findRoles(db: Db, serverId: string): Promise<CustomRole[]> {
  return (await query<RoleRow>(db, rolesOf, [serverId])).map(toRole);
}

/** Undefined if the id is taken. */
export async function insertRole(
  db: Db,
  role: Omit<CustomRole, 'createdAt'>,
): Promise<CustomRole | undefined> {
  const { id, serverId, name, color, mark, permissions, position, version } = role;
  const [row] = await query<RoleRow>(
    db,
    `insert into roles (id, server_id, name, color, mark, permissions, position, version)
     values ($1, $2, $3, $4, $5, $6::text[], $7, $8) on conflict (id) do nothing
     returning ${columns}`,
    [id, serverId, name, color, mark, permissions, position, version],
  );
  return row && toRole(row);
}

export async function updateRole(
  db: Db,
  { id, name, color, mark, permissions, position, version }: Omit<CustomRole, 'createdAt'>,
): Promise<CustomRole> {
  const [row] = await query<RoleRow>(
    db,
    `update roles set name = $2, color = $3, mark = $4, permissions = $5::text[], position = $6,
       version = $7
     where id = $1 returning ${columns}`,
    [id, name, color, mark, permissions, position, version],
  );
  if (row === undefined) throw new Error('a role is missing although its server is locked');
  return toRole(row);
}

export async function deleteRole(db: Db, id: string): Promise<void> {
  await query(db, 'delete from roles where id = $1', [id]);
}
