import type { Proxy } from '../support/proxy.ts';

/**
 * Calls `isDue` at each commit on a connection that has written messages: before the commit reaches PostgreSQL, or when
 * its answer returns. True cuts the connection there: PostgreSQL rolls back, or the answer is lost.
 */
export function atCommit(wire: Proxy, when: 'before' | 'after', isDue: () => boolean): void {
  const writing = new WeakSet();
  wire.tap((piece, way, connection) => {
    const text = piece.toString('latin1');
    if (way === 'there' && writes.test(text)) writing.add(connection);
    if (!writing.has(connection)) return false;
    const isNow =
      when === 'before'
        ? way === 'there' && text.includes(asks)
        : way === 'back' && text.includes(done);
    return isNow && isDue();
  });
}

const writes = /insert into messages|update messages set/;
const asks = 'commit\0';
const done = 'COMMIT\0';
