import { userRoom } from '../../shared/rooms.ts';
import type { TaskCount } from '../../shared/tasks.ts';
import { account } from '../accounts/account.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';

/** The numbers of reports and requests to join that the user can answer, by server. */
class Tasks {
  readonly counts = new RowsByRoom<TaskCount>(({ serverId }) => serverId);

  /** Undefined if no task is open. */
  of(serverId: string): TaskCount | undefined {
    return this.counts.in(userRoom(account.id))?.get(serverId);
  }

  total(serverId: string): number {
    const { reports = 0, requests = 0 } = this.of(serverId) ?? {};
    return reports + requests;
  }
}

export const tasks = new Tasks();
