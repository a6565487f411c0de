/** The winner of an answer and an event: an answer can be older than an event, even when it is handled later. */
import { expect } from 'chai';
import type { PresenceMap } from '../../shared/presence.ts';
import { RoomReplica } from '../../client/sync/room-replica.ts';

describe('presence in a client', () => {
  const room = 'server:place';
  const answer = (presence: PresenceMap, presenceVersion: number) =>
    ({
      status: 'snapshot',
      room,
      version: 0,
      state: { members: [] } as never,
      people: {},
      presence,
      presenceVersion,
    }) as const;

  it('takes the latest status, from a part, between two parts, or from the next part', () => {
    const held = new RoomReplica();
    const part = (
      presence: PresenceMap,
      version: number,
      more: { more?: string; after?: string },
    ) => {
      held.requestStarted();
      const { snapshot } = held.answer({ ...answer(presence, version), ...more }, 'one life');
      held.requestEnded();
      return snapshot?.presence;
    };
    held.receivePresence({ users: { early: 'online' }, version: 1 });
    expect(part({ ann: 'online', ben: 'online' }, 2, { more: 'ben' })).to.equal(undefined);
    held.receivePresence({ users: { ben: 'offline', cem: 'online' }, version: 3 });
    expect(part({ cem: 'idle' }, 4, { after: 'ben' })).to.deep.equal({
      ann: 'online',
      ben: 'offline',
      cem: 'idle',
    });
  });

  it('takes the newer of an answer and an event, whichever is handled first', () => {
    const held = new RoomReplica();
    held.requestStarted();
    held.receivePresence({ users: { ann: 'dnd', ben: 'dnd' }, version: 3 });
    held.receivePresence({ users: { ben: 'idle' }, version: 5 });
    const { presence } = held.answer(answer({ ann: 'online', ben: 'online' }, 4), 'one life');
    expect(presence).to.deep.equal({ ann: 'online', ben: 'idle' });
    held.requestEnded();
  });

  it('keeps people who came online after an answer was read, and only for that answer', () => {
    const held = new RoomReplica();
    held.requestStarted();
    held.receivePresence({ users: { newcomer: 'online' }, version: 3 });
    const whole = () => held.answer(answer({ ann: 'online' }, 4), 'one life').presence;
    expect(whole()).to.deep.equal({ ann: 'online', newcomer: 'online' });
    held.requestEnded();
    held.requestStarted();
    expect(whole()).to.deep.equal({ ann: 'online' });
    held.requestEnded();
  });
});
