import type { TaskCount } from '../../shared/tasks.ts';
import type { Db } from '../database/database.ts';
import { findCounts } from './count-store.ts';

export const taskCountsOf = (db: Db, userId: string): Promise<TaskCount[]> =>
  findCounts(db, userId);
