import type { CustomRole } from '../../shared/roles.ts';
import type { Db } from '../database/database.ts';
import { findRoles } from './store.ts';

export const rolesIn = (db: Db, serverId: string): Promise<CustomRole[]> => findRoles(db, serverId);
