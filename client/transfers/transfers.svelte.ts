import { userRoom } from '../../shared/rooms.ts';
import type { Transfer } from '../../shared/transfers.ts';
import { account } from '../accounts/account.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

class Transfers {
  readonly rows = new RowsByRoom<Transfer>(({ serverId }) => serverId);

  sent(serverId: string): Transfer | undefined {
    return this.#between(serverId, 'fromId');
  }

  received(serverId: string): Transfer | undefined {
    return this.#between(serverId, 'toId');
  }

  #between(serverId: string, mine: 'fromId' | 'toId'): Transfer | undefined {
    const transfer = this.rows.in(userRoom(account.id))?.get(serverId);
    return transfer?.[mine] === account.id ? transfer : undefined;
  }

  async offer(serverId: string, userId: string) {
    await send('server:transfer', { serverId, userId });
  }

  async accept(serverId: string) {
    await send('server:acceptTransfer', { serverId });
  }

  /** Declines an offer, or withdraws the user's own. */
  async decline(serverId: string) {
    await send('server:declineTransfer', { serverId });
  }
}

export const transfers = new Transfers();
