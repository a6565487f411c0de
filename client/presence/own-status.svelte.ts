/** What I have chosen to be seen as, and what that looks like to others now. */
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

class Own {
  chosen = $state<ChosenStatus>('online');

  /** Who chose nothing else is idle while away from all devices; the servers' rooms know. */
  in(serverId: string | undefined): ChosenStatus {
    if (this.chosen !== 'online' || serverId === undefined) return this.chosen;
    return presence.of(serverRoom(serverId), account.id) === 'idle' ? 'idle' : 'online';
  }

  async choose(status: ChosenStatus) {
    const before = this.chosen;
    this.chosen = status;
    try {
      await send('presence:set', { status });
    } catch (error) {
      if (this.chosen === status) this.chosen = before;
      throw error;
    }
  }
}

export const own = new Own();

/** The shape that stands for it: unseen is seen as offline. */
export const shapeOf = (chosen: ChosenStatus): Status =>
  chosen === 'invisible' ? 'offline' : chosen;
