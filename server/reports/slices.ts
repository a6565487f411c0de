import type { ReportCount } from '../../shared/reports.ts';
import type { Db } from '../database/database.ts';
import { findCounts } from './count-store.ts';

export const reportCountsOf = (db: Db, userId: string): Promise<ReportCount[]> =>
  findCounts(db, userId);
