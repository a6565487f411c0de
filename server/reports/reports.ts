import type { Context } from '../caller.ts';
import type { Ending } from '../endings.ts';
import { answererRooms, publishCounts } from '../tasks/tasks.ts';
import * as store from './store.ts';

export const reportEnding: Ending = {
  role: (work, { serverId, userId }) => store.deleteAboutOwner(work.db, serverId, userId),
  membership: {
    rooms: async (db, { serverId, userIds }) =>
      (await store.hasOpenBy(db, serverId, userIds)) ? answererRooms(db, serverId) : [],
    async end(work, { serverId, userIds, as }) {
      // Deletes the open reports of removed members, because a raid can fill the queue.
      if (as !== 'removed' || !(await store.hasOpenBy(work.db, serverId, userIds))) return;
      await store.deleteOpenBy(work.db, serverId, userIds);
      await publishCounts(work, serverId);
    },
  },
};

const maxPerSweep = 1_000;

export const sweepReports = ({ db }: Context): Promise<void> => store.deleteClosed(db, maxPerSweep);
