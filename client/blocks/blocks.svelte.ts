import type { Block } from '../../shared/blocks.ts';
import { userRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

class Blocks {
  readonly rows = new RowsByRoom<Block>(({ userId }) => userId);

  /** Latest first. */
  get all(): Block[] {
    return [...(this.rows.in(userRoom(account.id))?.values() ?? [])].sort((a, b) =>
      b.createdAt.localeCompare(a.createdAt),
    );
  }

  has(userId: string): boolean {
    return this.rows.in(userRoom(account.id))?.has(userId) ?? false;
  }

  async block(userId: string) {
    const { block } = await send('block:create', { userId });
    this.rows.apply(userRoom(account.id), [{ row: block }]);
  }

  async lift(userId: string) {
    await send('block:delete', { userId });
  }
}

export const blocks = new Blocks();
