import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Clock } from '../../server/node/clock.ts';
import { openPressure } from '../../server/admission/pressure.ts';
import { FairQueue, newUsage } from '../../server/admission/fair-queue.ts';
import { Usage } from '../../server/database/usage.ts';
import type { Random } from '../support/generate.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';

/** A clock that stands still until all due work has run. */
class StillClock implements Clock {
  #at = 0;
  #due: { at: number; act: () => void }[] = [];
  now = () => this.#at;
  after(ms: number, act: () => void) {
    const one = { at: this.#at + ms, act };
    this.#due.push(one);
    return () => void (this.#due = this.#due.filter((other) => other !== one));
  }
  async step(): Promise<boolean> {
    await turn();
    const [first] = this.#due.sort((one, other) => one.at - other.at);
    if (first === undefined) return false;
    this.#due.shift();
    this.#at = first.at;
    first.act();
    await turn();
    return true;
  }
}

const slots = { free: 5, pressed: 2 };

function openPlace({ isPressed = true, turnMs = 250, rest = 0 } = {}) {
  const clock = new StillClock();
  const usage = newUsage(clock);
  const queue = new FairQueue(
    { usage, isPressed: () => isPressed },
    { ...slots, turnMs, rest },
    clock,
  );
  const begun: { who: string; asked: number; at: number }[] = [];
  let [running, peak] = [0, 0];
  const ask = (who: string, ms: number, asked = clock.now()) =>
    queue.run(who, async () => {
      begun.push({ who, asked, at: clock.now() });
      peak = Math.max(peak, (running += 1));
      await new Promise<void>((resolve) => void clock.after(ms, resolve));
      running -= 1;
    });
  const finish = async () => {
    while (await clock.step());
  };
  return { clock, queue, usage, begun, ask, finish, peak: () => peak };
}

const someOf = (random: Random, max: number) => random.int(1, max);

describe(`a fair queue, by seed ${lawSeed}`, () => {
  it('runs fewer requests at a time while the machine is under pressure', async () => {
    for (const isPressed of [true, false]) {
      const place = openPlace({ isPressed });
      for (let i = 0; i < 50; i += 1) void place.ask(`account ${i % 7}`, 100);
      await place.finish();
      expect(place.begun).to.have.length(50);
      expect(place.peak()).to.equal(isPressed ? slots.pressed : slots.free);
    }
  });

  it('adds slots one at a time while all are taken, because pressure is detected late', async () => {
    const place = openPlace({ isPressed: false, turnMs: 1_000 });
    for (let i = 0; i < 10; i += 1) void place.ask(`account ${i}`, 800);
    await place.finish();
    expect(place.begun.slice(0, 5).map(({ at }) => at)).to.deep.equal([0, 0, 200, 400, 600]);
    expect(place.peak()).to.equal(slots.free);
    // Slots that are in use remain; slots that are unused for long are withdrawn.
    const steady = Array.from({ length: slots.free }, async (_, i) => {
      for (let n = 0; n < 20; n += 1) await place.ask(`account ${i}`, 100);
    });
    const settled = place.begun.length;
    await place.finish();
    await Promise.all(steady);
    for (const { asked, at } of place.begun.slice(settled + slots.free)) expect(at).to.equal(asked);
    place.clock.after(5_000, () => undefined);
    await place.finish();
    const later = place.clock.now();
    for (let i = 0; i < 10; i += 1) void place.ask(`account ${i}`, 800);
    await place.finish();
    const begun = place.begun.slice(-10, -7).map(({ at }) => at - later);
    expect(begun).to.deep.equal([0, 0, 200]);
  });

  it('lets no request wait while a slot is free', async () => {
    const place = openPlace();
    for (let i = 0; i < 30; i += 1) await Promise.all([place.ask('one', 200), place.finish()]);
    for (const { asked, at } of place.begun) expect(at).to.equal(asked);
  });

  it('prefers accounts with few requests to fifty with many, and all of these get their turns', async () => {
    const place = openPlace();
    const random = lawRandom();
    const [heavy, each, ms] = [50, 20, 50];
    const asking = Array.from({ length: heavy }, async (_, i) => {
      for (let n = 0; n < each; n += 1) {
        const four = Array.from({ length: 4 }, () => place.ask(`heavy ${i}`, someOf(random, ms)));
        await Promise.all(four);
      }
    });
    const heavies = { areDone: false };
    void Promise.all(asking).then(() => (heavies.areDone = true));
    for (let i = 0; i < 2 * heavy; i += 1) await place.clock.step();
    let quiet = 0;
    for (let steps = 0; !heavies.areDone; steps += 1) {
      if (steps % 40 === 0) void place.ask(`quiet ${(quiet += 1) % 5}`, 5);
      if (!(await place.clock.step())) break;
    }
    await place.finish();
    const waits = (whose: string) =>
      place.begun.filter(({ who }) => who.startsWith(whose)).map(({ asked, at }) => at - asked);
    // A wait lasts until a running request ends, and for one more when the fourth turn goes to the longest wait.
    expect(waits('quiet')).to.have.length.above(20);
    expect(Math.max(...waits('quiet'))).to.be.at.most(2 * ms);
    expect(waits('heavy')).to.have.length(heavy * each * 4);
    // At most one round of all heavy accounts, in every fourth turn.
    expect(Math.max(...waits('heavy'))).to.be.below(4 * heavy * ms * 4);
  });

  it('gives every fourth turn to the longest wait, however many accounts with less use arrive', async () => {
    const place = openPlace();
    place.usage.add('heavy', 10_000);
    let isDone = false;
    const come = (i: number): unknown =>
      !isDone && place.ask(`newcomer ${i}`, 10).then(() => come(i + 20));
    for (let i = 0; i < 20; i += 1) come(i);
    await place.clock.step();
    const heavy = place.ask('heavy', 10).then(() => (isDone = true));
    await place.finish();
    await heavy;
    const { asked, at } = place.begun.find(({ who }) => who === 'heavy')!;
    // At most behind the twenty that came before.
    expect(at - asked).to.be.within(10, 4 * 20 * 10);
  });

  it('keeps the order of the requests of one account', async () => {
    const place = openPlace();
    const random = lawRandom();
    const order: number[] = [];
    for (let i = 0; i < 100; i += 1) {
      void place.ask(`other ${i % 9}`, someOf(random, 30));
      void place.queue.run('one', async () => void order.push(i));
    }
    await place.finish();
    expect(order).to.deep.equal(Array.from({ length: 100 }, (_, i) => i));
  });

  it('bypasses requests that only wait, and does not charge their wait as work', async () => {
    const place = openPlace();
    for (let i = 0; i < slots.pressed; i += 1) void place.ask('stuck', 60_000);
    const late = place.ask('late', 1);
    await place.finish();
    await late;
    expect(place.begun.at(-1)).to.include({ who: 'late', at: 250 });
    void place.ask('worker', 250);
    for (let i = 0; i < 4; i += 1) void place.ask('worker', 250);
    await place.finish();
    expect(place.usage.of('stuck')).to.be.below(place.usage.of('worker'));
  });

  it('pauses only accounts with much use, and only under pressure', async () => {
    const timesOf = async ({ isPressed = true, rest = 3, ms = 100 }, who = 'reader') => {
      const place = openPlace({ isPressed, rest });
      for (let i = 0; i < 6; i += 1) void place.ask(`${who} ${i % 3}`, ms);
      await place.finish();
      return place.begun.map(({ at }) => at);
    };
    expect(await timesOf({ rest: 0 })).to.deep.equal([0, 0, 100, 100, 200, 200]);
    // The last reader has used nothing yet when both of its requests begin.
    expect(await timesOf({})).to.deep.equal([0, 0, 100, 100, 200, 600]);
    expect(await timesOf({ ms: 10 }), 'little').to.deep.equal([0, 0, 10, 10, 20, 20]);
    expect((await timesOf({ isPressed: false })).at(-1), 'at leisure').to.be.at.most(300);
  });

  it('lets an account with little use pass while others pause', async () => {
    const place = openPlace({ rest: 9 });
    for (let i = 0; i < 4; i += 1) void place.ask('eve', 100);
    void place.clock.after(300, () => void place.ask('ann', 10));
    await place.finish();
    expect(place.begun.find(({ who }) => who === 'ann')?.at).to.equal(300);
    expect(place.begun.filter(({ who }) => who === 'eve').map(({ at }) => at)).to.deep.equal([
      0, 0, 1_000, 1_000,
    ]);
  });

  it('continues after a failure', async () => {
    const place = openPlace();
    const failing = Array.from({ length: 20 }, () =>
      place.queue.run('one', () => Promise.reject(new Error('failed'))),
    );
    for (const one of await Promise.allSettled(failing)) expect(one.status).to.equal('rejected');
    expect(await place.queue.run('one', async () => 'done')).to.equal('done');
  });

  it('refuses with a retry time when too many wait, but always has room for an account with nothing queued', async () => {
    const place = openPlace();
    const stuck = Array.from({ length: 5 }, (_, who) =>
      Array.from({ length: 300 }, () => place.ask(`many ${who}`, 1)),
    ).flat();
    const kept = place.ask('another', 1);
    void place.finish();
    const results = await Promise.allSettled(stuck);
    const refused = results.filter((one) => one.status === 'rejected');
    expect(refused.length).to.be.within(400, 550);
    for (const { reason } of refused) {
      expect(reason).to.include({ code: 'busy' });
      const { detail } = reason as { detail: { retryAfterMs: number } };
      expect(detail.retryAfterMs).to.be.within(3_000, 12_000);
    }
    await kept;
  });

  it('examines few of ten thousand waiting accounts to find the next turn', async () => {
    const clock = new StillClock();
    let looks = 0;
    class CountedUsage extends Usage {
      override of(who: string) {
        looks += 1;
        return super.of(who);
      }
    }
    const usage = new CountedUsage(10_000, () => clock.now());
    const queue = new FairQueue({ usage, isPressed: () => true }, slots, clock);
    const many = 10_000;
    const all = Array.from({ length: many }, (_, i) => queue.run(`account ${i}`, () => turn()));
    await Promise.all(all);
    expect(looks).to.be.within(many, 4 * many);
  });

  it('forgets the use of accounts that have left', async () => {
    const place = openPlace({ isPressed: false });
    for (let i = 0; i < 30_000; i += 1) {
      place.usage.add(`account ${i}`, 20);
      if (i % 10 === 0) place.clock.after(100, () => undefined);
      if (i % 10 === 0) await place.clock.step();
    }
    expect(place.usage.size()).to.be.below(8_000);
  });
});

describe('the pressure on a machine', () => {
  it('lasts while its processors are busy', () => {
    let [now, all, idle] = [0, 0, 0];
    const isPressed = openPressure(
      () => now,
      () => ({ all, idle }),
      () => 0,
    );
    const pass = (busy: number, free: number) => {
      [now, all, idle] = [now + 1_000, all + busy + free, idle + free];
      return isPressed();
    };
    expect([pass(199, 1), pass(100, 100), pass(200, 0), pass(170, 30)]).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
  });

  it('begins when this thread waits for a processor, and lasts a moment longer', () => {
    let [now, waited] = [0, 0];
    const isPressed = openPressure(
      () => now,
      () => ({ all: now, idle: now }),
      () => waited,
    );
    const pass = (ms: number, waiting: number) => {
      [now, waited] = [now + ms, waited + waiting];
      return isPressed();
    };
    expect([pass(50, 5), pass(50, 20), pass(100, 0), pass(101, 0)]).to.deep.equal([
      false,
      true,
      true,
      false,
    ]);
  });

  it('can be measured on this machine', () => {
    expect(openPressure()()).to.equal(false);
  });
});
