import type { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { DisplayName } from '../../shared/people.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { alone, joined } from '../support/topologies.ts';
import { compare, isEqual } from './comparison.ts';
import { parseLines, readLines, spoken, type ScriptLine } from './lines.ts';
import { namesFor } from './names.ts';
import { replay } from './replay.ts';
import type { ComparedMessage } from './said.ts';
import { SocketPool } from './socket-pool.ts';
import { isAsItShouldBe, replayTable } from './table.ts';
import { timetable } from './timetable.ts';

const excerpt = fileURLToPath(new URL('../fixtures/ubuntu-irc.jsonl', import.meta.url));

const replayed = (lines: readonly ScriptLine[], nodes: readonly TestApp[], listeners = 4) =>
  replay({
    lines,
    urls: [...new Set(nodes.map(({ url }) => url))],
    db: nodes[0]!.db,
    speed: Infinity,
    listeners,
    server: 'Replay',
  });

describe('a replayed conversation', () => {
  let lines: ScriptLine[];
  before(async () => {
    lines = await readLines(excerpt);
  });

  for (const [where, open] of [
    ['on one node', alone],
    ['on two nodes', joined],
  ] as const)
    it(`${where}, reaches everyone completely, once and in order`, async () => {
      const topology = await open();
      const report = await replayed(lines, topology.nodes);
      await topology.close();
      const said = lines.filter((line) => spoken(line) !== undefined).length;
      expect(isAsItShouldBe(report), replayTable(report)).to.be.true;
      expect(report.sent).to.equal(said);
      // 6 = the database, its table, and four listeners.
      expect(report.comparisons.map(({ held }) => held)).to.deep.equal(Array(6).fill(said));
    });

  it('is complete over connections that break again and again', async () => {
    const node = await startApp();
    let connections = 0;
    let broken = 0;
    node.node.io.engine.on('connection', (conn: EventEmitter & { close(): void }) => {
      // Counts packets, because on a slow machine a timer would break each connection before its first answer.
      let packetsLeft = 5 + ((connections++ * 5) % 16);
      const countPacket = () => {
        if (--packetsLeft !== 0) return;
        broken++;
        conn.close();
      };
      conn.on('packet', countPacket).on('packetCreate', countPacket);
    });
    const report = await replayed(lines.slice(0, 80), [node]);
    await node.close();
    expect(isAsItShouldBe(report), replayTable(report)).to.be.true;
    expect(broken).to.be.above(20);
  });

  it('is sent as slowly as the server asks', async () => {
    const node = await startApp({ PARLEY_RATE_SCALE: '0.1' });
    const chatter = parseLines(
      Array.from({ length: 5 }, (_, i) => line({ text: `line ${i}` })).join('\n'),
    );
    const report = await replayed(chatter, [node], 1);
    await node.close();
    expect(isAsItShouldBe(report), replayTable(report)).to.be.true;
    expect(report.seconds, 'it may say three in ten seconds').to.be.above(3);
  });
});

describe('the comparison of a replay', () => {
  const truth: ComparedMessage[] = Array.from({ length: 9 }, (_, i) => ({
    ...{ id: `m${i}`, position: i + 1, authorId: `p${i % 2}`, body: `line ${i}` },
  }));
  const [first, second, ...rest] = truth as [
    ComparedMessage,
    ComparedMessage,
    ...ComparedMessage[],
  ];
  const zero = { missing: 0, doubled: 0, outOfOrder: 0, different: 0 };

  it('finds no difference between equal messages', () => {
    expect(compare('ann', truth, truth)).to.deep.equal({ who: 'ann', held: 9, ...zero });
    expect(isEqual(compare('ann', truth, truth))).to.be.true;
  });

  for (const [fault, held, found] of [
    ['a message that is missing', [first, ...rest], { missing: 1 }],
    ['one that is doubled', [first, second, second, ...rest], { doubled: 1 }],
    ['two that are swapped', [second, first, ...rest], { outOfOrder: 1 }],
    ['another text', [first, { ...second, body: 'else' }, ...rest], { different: 1 }],
    ['another author', [first, { ...second, authorId: 'p9' }, ...rest], { different: 1 }],
    ['another place', [first, { ...second, position: 7 }, ...rest], { different: 1 }],
    ['what nobody said', [...truth, { ...first, id: 'm99' }], { different: 1 }],
  ] as const)
    it(`finds ${fault}, and reports it`, () => {
      const comparison = compare('ann', truth, held);
      expect(comparison).to.deep.equal({ who: 'ann', held: held.length, ...zero, ...found });
      const report = {
        ...{ lines: 9, speakers: 2, seconds: 1, sent: 9, acknowledged: 9 },
        ...{ refused: [], problems: [], comparisons: [comparison] },
      };
      expect(isAsItShouldBe(report)).to.be.false;
      expect(replayTable(report)).to.include('This is not as it should be.');
    });

  it('accepts another order between speakers if each speaker’s own order is kept', () => {
    const author = ({ authorId }: ComparedMessage) => authorId;
    expect(isEqual(compare('database', truth, [second, first, ...rest], author))).to.be.true;
    const [third = first, ...others] = rest;
    const late = compare('database', truth, [third, second, first, ...others], author);
    expect(late.outOfOrder).to.equal(1);
  });
});

describe('a conversation file', () => {
  it('is read completely or not at all; bad lines are reported by number', () => {
    const bad = [line({}), 'no JSON', line({ time: '24:00' }), line({ type: 'shout' })].join('\n');
    expect(() => parseLines(bad)).to.throw(
      /line 2: .*\n *line 3: time: A time is.*\n *line 4: type/,
    );
  });

  it('gives an action in italics, and nothing for lines that Parley refuses', () => {
    const said = (fields: object) => spoken(parseLines(line(fields))[0]!);
    expect(said({ type: 'action', text: 'waves' })).to.equal('_waves_');
    expect(said({ text: ' ' })).to.be.undefined;
    expect(said({ type: 'join', text: undefined })).to.be.undefined;
  });

  it('gives everybody a name that is valid, and no two the same', () => {
    const nicks = ['ann', 'a\u200bnn', ' ann', '\u0007', '\u202e', 'x'.repeat(70), 'x'.repeat(80)];
    const names = [...namesFor([...nicks, 'ann']).values()];
    expect(names.slice(0, 5)).to.deep.equal(['ann', 'ann 2', 'ann 3', 'Somebody', 'Somebody 2']);
    expect(new Set(names).size).to.equal(nicks.length);
    for (const name of names) expect(DisplayName.parse(name)).to.equal(name);
  });

  it('spreads a minute’s lines over it, and shortens nights', () => {
    const at = (time: string, day = '2008-04-27') => line({ time, day });
    const file = [at('10:00'), at('10:00'), at('10:02'), at('23:00'), at('01:00', '2007-01-01')];
    expect(timetable(parseLines(file.join('\n')))).to.deep.equal([0, 30, 120, 420, 720]);
  });
});

describe('seats', () => {
  it('are taken from the speaker who has been quiet longest, and never from a busy one', async () => {
    const pool = new SocketPool(2);
    const closed: string[] = [];
    const [ann, ben, cleo] = ['ann', 'ben', 'cleo'].map((name) => ({
      close: () => void closed.push(name),
    })) as [{ close(): void }, { close(): void }, { close(): void }];
    const nothing = () => Promise.resolve();
    await pool.during(ann, nothing);
    await pool.during(ben, nothing);
    await pool.during(ann, () => pool.during(cleo, nothing));
    expect(closed).to.deep.equal(['ben']);
    expect(pool.taken).to.equal(2);
  });
});

const line = (fields: object) =>
  JSON.stringify({
    ...{ day: '2008-04-27', time: '04:46', nick: 'ann', type: 'message', text: 'hello' },
    ...fields,
  });
