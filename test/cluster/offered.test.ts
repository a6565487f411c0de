import { expect } from 'chai';
import { rates } from '../../shared/limits.ts';
import { endAll, follow, openNode, redisSettings, type OpenNode } from './nodes.ts';

for (const [name, settings] of Object.entries({
  'a node alone': async () => ({}),
  'a node with Redis': () => redisSettings(),
})) {
  describe(`the cluster services of ${name}`, () => {
    let node: OpenNode;
    before(async () => void (node = await openNode(await settings())));
    after(endAll);

    it('refuse what exceeds a limit, and say how long to wait', async () => {
      const { points, seconds } = rates.create;
      for (let i = 0; i < points; i += 1) await node.limits.take('create', 'ann');
      // Refused locally as well as by the shared count.
      for (let i = 0; i < 3; i += 1) {
        const refused = await node.limits.take('create', 'ann').catch((error: unknown) => error);
        expect(refused).to.include({ code: 'rate_limited' });
        const { retryAfterMs } = (refused as { detail: { retryAfterMs: number } }).detail;
        expect(retryAfterMs).to.be.within(1, seconds * 1_000);
      }
      await node.limits.take('create', 'ben');
      await node.limits.take('write', 'ann');
    });

    it('report the status of an account, and each change of it', () => {
      const seen = follow(node, 'ann');
      expect(node.leases.status('ann')).to.equal('offline');
      node.leases.set('ann', 'online');
      node.leases.set('ann', 'online');
      expect(node.leases.status('ann')).to.equal('online');
      node.leases.set('ann', 'dnd');
      node.leases.set('ann', undefined);
      node.leases.set('ann', undefined);
      expect(node.leases.status('ann')).to.equal('offline');
      expect(seen).to.deep.equal(['online', 'dnd', 'offline']);
    });

    it('show an invisible account as offline', () => {
      const seen = follow(node, 'eve');
      node.leases.set('eve', 'invisible');
      expect(node.leases.status('eve')).to.equal('offline');
      node.leases.set('eve', 'online');
      node.leases.set('eve', 'invisible');
      node.leases.set('eve', undefined);
      expect(seen).to.deep.equal(['online', 'offline']);
    });

    it('do not return a broadcast to its own node', async () => {
      const received: unknown[] = [];
      node.onMessage((message) => received.push(message));
      node.broadcast({ hello: 1 });
      const cycle: { self?: unknown } = {};
      cycle.self = cycle;
      node.broadcast(cycle);
      // A returned message would arrive before the answer to this request.
      await node.healthy();
      expect(received).to.deep.equal([]);
    });

    it('are healthy', async () => {
      expect(await node.healthy()).to.deep.equal({ publish: true, subscribe: true });
    });
  });
}
