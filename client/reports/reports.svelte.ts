import type { Input } from '../../shared/protocol.ts';
import type { ReportCount } from '../../shared/reports.ts';
import { userRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

class Reports {
  readonly counts = new RowsByRoom<ReportCount>(({ serverId }) => serverId);

  /** Open reports that the user can answer. Undefined if there are none. */
  of(serverId: string): ReportCount | undefined {
    return this.counts.in(userRoom(account.id))?.get(serverId);
  }

  async create(input: Input<'report:create'>) {
    await send('report:create', input);
  }
}

export const reports = new Reports();
