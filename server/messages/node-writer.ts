import { ownContext, type Node } from '../caller.ts';
import { addGauge } from '../node/metrics.ts';
import { perNode } from '../node/per-node.ts';
import { flush } from './flush.ts';
import { openWriter } from './writer.ts';

export const writerOn = perNode((node: Node) => {
  const { clock, metrics } = node;
  const writer = openWriter((batch, locking) => {
    metrics.flushes.observe(batch.length);
    return flush(ownContext(node), batch, locking);
  }, clock);
  addGauge(metrics, ['parley_queue_depth', 'Queued message writes'], () => writer.depth());
  return writer;
});
