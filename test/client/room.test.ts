/** The client's rules 1, 2, 3 and 5, against a model of a room and a network that loses, duplicates and reorders. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Entry } from '../../shared/entry.ts';
import type { Message } from '../../shared/messages.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import type { Change, Row } from '../../shared/changes.ts';
import { bySlice } from '../../client/sync/changes.ts';
import { leavesHole, merge, newest, type TimelineWindow } from '../../client/messages/window.ts';
import { emptySlice, removeRow, replaceAll, upsert } from '../../client/sync/rows.ts';
import { RoomReplica, type SyncCursor, type Update } from '../../client/sync/room-replica.ts';
import { syncsOf } from '../../client/sync/batches.ts';
import { limits } from '../../shared/limits.ts';
import { atLength } from '../support/length.ts';

const room = 'server:place';
type Member = Row<'members'>;

/** The state of the server. A change creates, updates or removes a row; messages are only emptied. */
class Model {
  epoch = 'first life';
  version = 0;
  rows = new Map<string, Member>();
  messages: Message[] = [];
  history: Change[] = [];

  member(userId: string, gone: boolean): Change {
    const version = ++this.version;
    const member = { userId, version, role: 'member' } as Member;
    if (gone) this.rows.delete(userId);
    else this.rows.set(userId, member);
    return this.note(
      gone ? { type: 'member:left', version, userId } : { type: 'member:updated', version, member },
    );
  }

  message(at: number): Change {
    const version = ++this.version;
    const known = this.messages[at];
    const position = known?.position ?? this.messages.length + 1;
    const message = { id: `m${position}`, position, version } as Message;
    this.messages[position - 1] = message;
    return this.note({ type: known ? 'message:updated' : 'message:created', version, message });
  }

  note(change: Change): Change {
    this.history.push(change);
    return change;
  }

  /** Restores a backup: fewer versions, and other changes under the same versions. */
  restore(to: number) {
    const kept = this.history.slice(0, Math.min(to, this.version));
    this.epoch += "'";
    this.version = 0;
    this.history = [];
    this.rows.clear();
    this.messages = [];
    for (const change of kept) {
      if (change.type === 'member:left') this.member(change.userId, true);
      else if (change.type === 'member:updated') this.member(change.member.userId, false);
      else if ('message' in change) this.message(change.message.position - 1);
    }
  }

  answer(asked: SyncCursor, limit: number): Entry {
    const { version } = this;
    const since = asked.epoch === this.epoch ? asked.version : undefined;
    const after = asked.epoch === this.epoch ? asked.after : undefined;
    if (after !== undefined) return this.part(1 + (limit % 2), after);
    if (since === version) return { status: 'current', room, version };
    const missed = since === undefined ? [] : this.history.slice(since);
    if (since !== undefined && since < version && missed.length <= limit)
      return { status: 'changes', room, version, from: since, changes: missed, people: {} };
    return this.part(1 + (limit % 2));
  }

  /** Returns up to `many` rows, by id. The messages come with the first part. */
  part(many: number, after?: string): Entry {
    const all = [...this.rows.values()].sort((a, b) => (a.userId < b.userId ? -1 : 1));
    const further = all.filter(({ userId }) => after === undefined || userId > after);
    const members = further.slice(0, many);
    const messages = after === undefined ? this.messages.slice(-5) : [];
    const more = further.length > many ? members.at(-1)?.userId : undefined;
    return {
      ...{ status: 'snapshot', room, version: this.version, people: {} },
      state: { members, messages } as never,
      ...(after !== undefined && { after }),
      ...(more !== undefined && { more }),
    };
  }
}

/** The state of a client: the pure parts, joined as in the real client. */
class Client {
  held = new RoomReplica();
  rows = emptySlice<Member>();
  window: TimelineWindow<Message> = { rows: [], reachesNewest: false };

  enter(model: Model) {
    this.held.requestStarted();
    this.take(model.answer({ epoch: '', version: 0 }, 0), model.epoch);
    this.takeRest(model);
  }

  takeRest(model: Model) {
    while (this.held.rest !== undefined) {
      this.held.requestStarted();
      this.take(model.answer(this.held.cursor, 0), model.epoch);
    }
  }

  take(entry: Entry, epoch: string) {
    if (entry.status !== 'gone') this.do(this.held.answer(entry, epoch));
    this.held.requestEnded();
  }

  receive(stretch: RoomChanges) {
    this.do({ changes: this.held.receive(stretch) });
  }

  do({ snapshot, changes }: Update) {
    if (snapshot) {
      const { members, messages } = snapshot.state as unknown as {
        members: Member[];
        messages: Message[];
      };
      replaceAll(
        this.rows,
        members.map((row) => [row.userId, row] as const),
      );
      this.window = newest(messages);
    }
    for (const stretch of changes)
      for (const [slice, part] of bySlice(stretch.changes))
        for (const change of part)
          if (slice === 'messages') {
            if ('row' in change) this.window = merge(this.window, [change.row as Message]);
          } else if ('row' in change) this.ack(change.row as Member);
          else removeRow(this.rows, change.gone, change.version);
  }

  list(message: Message) {
    if (!leavesHole(this.window, message)) this.window = merge(this.window, [message]);
  }

  ack(row: Member) {
    upsert(this.rows, row.userId, row);
  }
}

const id = fc.constantFrom('ann', 'ben', 'cleo');
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('member' as const), id, gone: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('message' as const), at: fc.nat(12) }) },
  /** A change under way arrives, perhaps more than once, or is lost. */
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('arrives' as const),
      which: fc.nat(),
      again: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lost' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ack' as const), id }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom<'asks' | 'answers' | 'cut' | 'heals' | 'acks' | 'calm'>(
        'asks',
        'answers',
        'cut',
        'heals',
        'acks',
        'calm',
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reads' as const), limit: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restored' as const), to: fc.nat(20) }) },
);
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

function play(steps: Step[]) {
  const model = new Model();
  const client = new Client();
  client.enter(model);
  let underWay: RoomChanges[] = [];
  let asked: SyncCursor | undefined;
  let answer: { entry: Entry; epoch: string } | undefined;
  const say = (change: Change) => {
    const { version } = change;
    underWay.push({ room, from: version - 1, to: version, changes: [change], people: {} });
  };
  const ask = () => {
    client.held.requestStarted();
    asked = client.held.cursor;
  };
  /** An ack can overtake changes and be overtaken by them, but not by an answer that was read after it. */
  const acks: (() => void)[] = [];
  const take = (entry: Entry, epoch: string) => {
    for (const arrives of acks.splice(0)) arrives();
    client.take(entry, epoch);
  };
  const heal = () => {
    ask();
    if (asked) take(model.answer(asked, 6), model.epoch);
    asked = answer = undefined;
  };
  const end = () => {
    client.held.requestEnded();
    asked = answer = undefined;
  };
  for (const next of steps) {
    if (next.do === 'member') say(model.member(next.id, next.gone));
    else if (next.do === 'message') say(model.message(next.at));
    else if (next.do === 'arrives' || next.do === 'lost') {
      const index = underWay.length && next.which % underWay.length;
      const stretch = underWay[index];
      if (stretch && next.do === 'arrives') client.receive(stretch);
      if (next.do === 'lost' || !next.again) underWay.splice(index, 1);
    } else if (next.do === 'ack') {
      const row = model.rows.get(next.id);
      const message = model.messages.at(-1);
      const { epoch } = model;
      acks.push(() => {
        if (row && client.held.cursor.epoch === epoch) client.ack(row);
        if (message && client.held.cursor.epoch === epoch) client.list(message);
      });
    } else if (next.do === 'acks') {
      acks.shift()?.();
    } else if (next.do === 'calm') {
      for (const stretch of underWay.splice(0)) client.receive(stretch);
    } else if (next.do === 'heals') {
      if (asked) end();
      heal();
    } else if (next.do === 'asks') {
      if (!client.held.isRequested) ask();
    } else if (next.do === 'reads') {
      if (asked && !answer) answer = { entry: model.answer(asked, next.limit), epoch: model.epoch };
    } else if (next.do === 'answers') {
      if (!answer) continue;
      take(answer.entry, answer.epoch);
      asked = answer = undefined;
    } else if (next.do === 'cut') {
      if (asked) end();
    } else if ('to' in next) {
      // No change of the former epoch is under way in the next, because the server was restarted.
      model.restore(next.to);
      underWay = [];
      acks.length = 0;
      if (asked) end();
    }
  }
  if (asked) end();
  let asks = 0;
  do {
    heal();
    asks += 1;
  } while (asks < 20 && (client.held.rest !== undefined || client.held.hasGap));
  return { model, client, asks };
}

describe('a room in a client', () => {
  const held = ({ rows, window }: Client) => ({
    rows: [...rows.rows.values()].sort((a, b) => a.userId.localeCompare(b.userId)),
    // A fresh client starts with less history, but ends the same.
    newest: window.rows.slice(-1),
  });

  it('ends equal to a fresh one after lost, doubled and late changes and restored backups', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const { model, client } = play(steps);
        const fresh = new Client();
        fresh.enter(model);
        expect(client.held.version).to.equal(model.version);
        expect(held(client)).to.deep.equal(held(fresh));
        expect(client.window.reachesNewest).to.be.true;
        const from = client.window.rows[0]?.position ?? 1;
        expect(client.window.rows).to.deep.equal(model.messages.slice(from - 1));
      }),
      { numRuns: atLength(300, 3_000) },
    );
  });

  it('loses no change that arrives, without a request', () => {
    const changes = fc.array(fc.record({ id, gone: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    const late = changes.chain((all) =>
      fc.record({
        all: fc.constant(all),
        order: fc.shuffledSubarray([...all.keys()], { minLength: all.length }),
        readAt: fc.nat(all.length),
        receivedBefore: fc.nat(all.length),
      }),
    );
    fc.assert(
      fc.property(late, ({ all, order, readAt, receivedBefore }) => {
        const model = new Model();
        const client = new Client();
        let entry = model.answer({ epoch: '', version: 0 }, 0);
        client.held.requestStarted();
        const stretches = all.map(({ id, gone }, index) => {
          const change = model.member(id, gone);
          if (index + 1 === readAt) entry = model.answer({ epoch: '', version: 0 }, 0);
          const { version } = change;
          return {
            room,
            from: version - 1,
            to: version,
            changes: [change],
            people: {},
          } satisfies RoomChanges;
        });
        for (const [time, index] of order.entries()) {
          if (time === receivedBefore) client.take(entry, model.epoch);
          client.receive(stretches[index]!);
        }
        if (receivedBefore === all.length) client.take(entry, model.epoch);
        client.takeRest(model);
        const fresh = new Client();
        fresh.enter(model);
        expect(held(client).rows).to.deep.equal(held(fresh).rows);
        expect(client.held.hasGap).to.be.false;
      }),
      { numRuns: atLength(300, 3_000) },
    );
  });

  it('is requested in as few syncs as the epochs and the limit of rooms allow', () => {
    const questions = fc.array(fc.record({ epoch: fc.constantFrom('a', 'b'), version: fc.nat() }), {
      minLength: 190,
      maxLength: 450,
      size: 'max',
    });
    fc.assert(
      fc.property(questions, (all) => {
        const syncs = syncsOf(all.map((question, i) => [`timeline:${i}`, question] as const));
        const asked = syncs.flatMap(({ epoch, rooms }) =>
          Object.entries(rooms).map(([name, version]) => [name, { epoch, version }]),
        );
        expect(Object.fromEntries(asked)).to.deep.equal(
          Object.fromEntries(all.map((question, i) => [`timeline:${i}`, question])),
        );
        for (const { rooms } of syncs)
          expect(Object.keys(rooms)).to.have.length.within(1, limits.roomsPerSync);
        const fewest = ['a', 'b'].map((life) =>
          Math.ceil(all.filter(({ epoch }) => epoch === life).length / limits.roomsPerSync),
        );
        expect(syncs).to.have.length(fewest[0]! + fewest[1]!);
      }),
    );
  });

  it('counts an unknown change of a newer server as a version, and ignores its content', () => {
    const model = new Model();
    const unknown = { type: 'poll:opened', version: 2, poll: {} } as unknown as Change;
    const known = [model.member('ann', false), { ...model.member('ben', false), version: 3 }];
    const sorted = bySlice([known[0]!, unknown, known[1]!]);
    expect([...sorted.keys()]).to.deep.equal(['members']);
    expect(sorted.get('members')).to.have.length(2);
  });
});
