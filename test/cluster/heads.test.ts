import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { timelineRoom, userRoom } from '../../shared/rooms.ts';
import { startApp } from '../support/app.ts';
import { ownRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';

describe('a node that receives nothing from the others', () => {
  it('compares all of 10,000 rooms, in turn', async () => {
    const redis = await ownRedis();
    const app = await startApp({ REDIS_URL: redis.url });
    const { node, db } = app;
    const ben = await app.person('Ben');
    const ids = Array.from({ length: 10_000 }, () => randomUUID());
    await query(
      db,
      `insert into rooms (id, kind, version) select unnest($1::uuid[]), 'timeline', 1`,
      [ids],
    );
    const [socket] = node.sockets.in(userRoom(ben.id));
    await socket!.join(ids.map(timelineRoom));
    for (const id of ids) node.versions.record(timelineRoom(id), 1);
    const received = new Set<string>();
    ben.socket.on('head', ({ room }) => received.add(room));
    await redis.stop();
    await until(() => !node.cluster.isSubscribed());
    const behind = ids.filter((_, i) => i % 100 === 99);
    await query(db, 'update rooms set version = 2 where id = any($1::uuid[])', [behind]);
    await until(() => received.size === behind.length);
    expect([...received]).to.have.members(behind.map(timelineRoom));
    await app.close();
    await redis.stop();
  });
});
