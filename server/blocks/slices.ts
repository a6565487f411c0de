import type { Block } from '../../shared/blocks.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { findBlocks } from './store.ts';

export const blocksOf = (db: Db, userId: string, page: Page): Promise<Block[]> =>
  findBlocks(db, userId, page);
