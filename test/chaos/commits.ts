/** The moment of a commit, seen on the wire to PostgreSQL. */
import type { Proxy } from '../support/proxy.ts';

/**
 * Calls back at the next commit that has written messages: before it reaches PostgreSQL, which then rolls
 * back, or after it was done, whose answer then never arrives. False: it may pass, like all that follow.
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
