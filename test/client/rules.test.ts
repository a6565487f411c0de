/**
 * Tests the client’s six rules (docs/architecture.md), each with the real driver over a real socket that delivers late,
 * out of order or not at all. broken-driver.proof.ts removes one rule at a time: the test of that rule fails then.
 */
import { expect } from 'chai';
import { NoResponse } from '../../client/sync/connection.ts';
import { timelineRoom, type Room } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectionTo } from '../support/client-connection.ts';
import { FaultyLink } from '../support/faulty-link.ts';
import { HeldTimeline } from '../support/held-timeline.ts';
import { Mirror } from '../support/mirror.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('the driver of every client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let link: FaultyLink;
  let mirror: Mirror;
  let timelineId: string;
  let room: Room;

  before(async () => {
    app = await startApp();
  });
  beforeEach(async () => {
    ann = await app.person('Ann');
    ben = await app.person('Ben');
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    room = timelineRoom(timelineId);
    link = new FaultyLink(ann);
    mirror = new Mirror(ann, link);
    await mirror.open(room);
  });
  afterEach(() => mirror.stop());
  after(() => app.close());

  const say = (body: string) => ben.send('message:send', { timelineId, body });
  const bodies = () => (mirror.state(room)?.messages ?? []).map((row) => 'body' in row && row.body);

  it('rule 1: applies no change before its predecessor', async () => {
    const [first, second] = await link.holdBack(2, async () => {
      await say('one');
      await say('two');
    });
    second?.();
    expect(bodies()).to.deep.equal([]);
    first?.();
    expect(bodies()).to.deep.equal(['one', 'two']);
  });

  it('rule 2: keeps the newer row when an older one arrives later', async () => {
    const { message } = await say('one');
    await ben.send('message:edit', { messageId: message.id, body: 'two' });
    await until(() => bodies()[0] === 'two');
    mirror.confirm(message);
    expect(bodies()).to.deep.equal(['two']);
  });

  it('rule 3: shows no message behind a hole', async () => {
    const timeline = new HeldTimeline((which) =>
      ann.send('message:list', { timelineId, ...which }),
    );
    const { message: first } = await say('one');
    timeline.replace([first]);
    await say('two');
    const { message } = await say('three');
    const { version } = message;
    timeline.apply([{ type: 'message:created', version, message }]);
    const positions = () => timeline.messages.map(({ position }) => position);
    expect(positions()).to.deep.equal([1]);
    await until(() => timeline.messages.length === 3);
    expect(positions()).to.deep.equal([1, 2, 3]);
  });

  it('rule 4: sends nothing before the connection is ready', async () => {
    const { url, cookie } = ann;
    // The preparation for `ready` fails, so the open connection never becomes ready.
    const prepare = () => Promise.resolve(false);
    const connection = connectionTo({ url, origin: url, cookie }, { prepare });
    const sending = connection
      .send('message:send', { timelineId, body: 'too early' })
      .catch((error: unknown) => error);
    connection.open();
    const outcome = await sending;
    connection.close();
    expect(outcome).to.be.instanceOf(NoResponse);
    const { messages } = await ben.send('message:list', { timelineId });
    expect(messages).to.deep.equal([]);
  });

  it('rule 5: drops the state of another epoch', async () => {
    await say('one');
    await until(() => bodies().length === 1);
    const later = await ann.newTab();
    const ready = { ...later.ready, epoch: 'another life' };
    await mirror.comeBack(Object.create(later, { ready: { value: ready } }) as Person);
    later.close();
    expect(mirror.state(room)).to.equal(undefined);
  });

  it('rule 6: notices by itself that the last change was lost', async () => {
    const waits = timersDuring(() => mirror.watch());
    expect(waits).to.have.length(1);
    expect(waits[0]?.ms).to.be.within(20_000, 30_000);
    await link.holdBack(1, () => say('lost'));
    expect(bodies()).to.deep.equal([]);
    waits[0]?.act();
    await link.idle();
    expect(bodies()).to.deep.equal(['lost']);
  });
});

interface Wait {
  act: () => void;
  ms: number;
}

/** Returns the timers that `work` starts. Calling one moves the time. */
function timersDuring(work: () => void): Wait[] {
  const waits: Wait[] = [];
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((act: () => void, ms: number) =>
    void waits.push({ act, ms })) as unknown as typeof setTimeout;
  try {
    work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return waits;
}
