import type { Block } from '../../shared/blocks.ts';
import type { Db } from '../database/database.ts';
import { findBlocks } from './store.ts';

export const blocksOf = (db: Db, userId: string): Promise<Block[]> => findBlocks(db, userId);
