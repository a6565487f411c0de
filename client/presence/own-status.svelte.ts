import type { ChosenStatus, Status } from '../../shared/presence.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { send } from '../session/socket.ts';
import { presence, statusWords } from './presence.svelte.ts';

export const chosenWords: Record<ChosenStatus, string> = {
  online: statusWords.online,
  idle: statusWords.idle,
  dnd: statusWords.dnd,
  invisible: 'Invisible',
};

class OwnStatus {
  chosen = $state<ChosenStatus>('online');
  #sent: Promise<unknown> = Promise.resolve();

  /** A user who chose online is idle when all their devices are; presence in the servers' rooms shows this. */
  in(serverId: string | undefined): ChosenStatus {
    if (this.chosen !== 'online' || serverId === undefined) return this.chosen;
    return presence.of(serverRoom(serverId), account.id) === 'idle' ? 'idle' : 'online';
  }

  /** Takes effect at once. Choices are sent one at a time, because two in flight can arrive in another order. */
  async choose(status: ChosenStatus) {
    const before = this.chosen;
    this.chosen = status;
    const sent = this.#sent.then(() => send('presence:set', { status }));
    this.#sent = sent.catch(() => undefined);
    try {
      await sent;
    } catch (error) {
      if (this.chosen === status) this.chosen = before;
      throw error;
    }
  }
}

export const ownStatus = new OwnStatus();

export const shapeOf = (chosen: ChosenStatus): Status =>
  chosen === 'invisible' ? 'offline' : chosen;
