/** Ann and Ben in a place, and Ben’s phone, for tests of push messages on one node. */
import { query } from '../../server/database/database.ts';
import { mentionOf } from '../../shared/mentions.ts';
import { startApp } from './app.ts';
import type { Person } from './person.ts';
import { openPlaceOfStrangers } from './place.ts';
import { hurryPushes } from './push-queue.ts';
import { openPushService } from './push-service.ts';
import { until } from './time.ts';

export type PushScene = Awaited<ReturnType<typeof openPushScene>>;

export async function openPushScene() {
  const service = await openPushService();
  const app = await startApp({ PARLEY_LOBBY: 'off', PARLEY_PUSH_SERVICES: service.origin });
  const count = async (of: string): Promise<number> => {
    const [row] = await query<{ count: number }>(
      app.db,
      `select (select count(*) from push_queue) + (select count(*) from ${of}) as count`,
    );
    return row?.count ?? 0;
  };
  const subscribed = async (person: Person, hidesText = false) => {
    const device = service.device();
    await person.send('push:subscribe', { ...device, hidesText });
    return device;
  };
  const hurry = () => hurryPushes(app.db);
  return {
    service,
    app,
    subscribed,
    hurry,
    /** Waits until nothing is due, without waits for attempts, for the pace of a place or for people who read. */
    settled: () =>
      until(async () => {
        await hurryPushes(app.db, 0);
        return (await count('pushes')) === 0;
      }),
    allJudged: () => until(async () => (await count('pushes where not judged')) === 0),
    isQueueEmpty: async () => (await query(app.db, 'select from push_queue')).length === 0,
    /** Waits until the place rests, because the rest would end a longer one. */
    holdPace: (timelineId: string) =>
      until(async () => {
        const held = await query(
          app.db,
          `update push_paces set free_at = now() + interval '1 hour'
           where timeline_id = $1 and free_at > now() returning 1`,
          [timelineId],
        );
        return held.length === 1;
      }),
    /** New people in a new place. */
    async begin() {
      service.answer(201);
      const [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
      const place = await openPlaceOfStrangers(ann, ben);
      const phone = await subscribed(ben);
      await ben.send('presence:update', { active: false });
      return {
        ...{ ann, ben, place, phone },
        say: async (body: string, timelineId = place.channelId) =>
          (await ann.send('message:send', { timelineId, body })).message,
        forBen: (text: string) => `${mentionOf(ben.id)} ${text}`,
      };
    },
    async close() {
      await app.close();
      await service.close();
    },
  };
}
