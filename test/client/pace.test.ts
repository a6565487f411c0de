import { expect } from 'chai';
import { Pace } from '../../client/sync/pace.ts';
import { until } from '../support/time.ts';

const paceOf = (isHidden = () => false) =>
  new Pace({ isHidden, afterRendering: (done) => setTimeout(done) });

describe('the pace of changes', () => {
  it('runs the first task synchronously, and those that arrive during the rest in one later turn', async () => {
    const pace = paceOf();
    const ran: string[] = [];
    pace.run(() => ran.push('first'));
    expect(ran).to.deep.equal(['first']);
    pace.run(() => {
      ran.push('second');
      queueMicrotask(() => ran.push('rendering'));
    });
    pace.run(() => ran.push('third'));
    expect(ran).to.deep.equal(['first']);
    await until(() => ran.includes('rendering'));
    expect(ran).to.deep.equal(['first', 'second', 'third', 'rendering']);
  });

  it('runs each task once and in order, whenever it arrives', async () => {
    const pace = paceOf();
    const all = Array.from({ length: 50 }, (_, index) => index);
    const ran: number[] = [];
    for (const number of all) {
      pace.run(() => ran.push(number));
      if (number % 7 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    await until(() => ran.length >= all.length);
    expect(ran).to.deep.equal(all);
  });

  it('does not wait in a hidden page, whose timers fire late', () => {
    let isHidden = false;
    const pace = paceOf(() => isHidden);
    const ran: string[] = [];
    pace.run(() => ran.push('first'));
    pace.run(() => ran.push('waiting'));
    isHidden = true;
    pace.run(() => ran.push('hidden'));
    expect(ran).to.deep.equal(['first', 'waiting', 'hidden']);
  });

  it('reports the error of a task, and runs the others', async () => {
    const mochas = process.listeners('uncaughtException');
    const errors: Error[] = [];
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => errors.push(error));
    try {
      const pace = paceOf();
      const ran: string[] = [];
      pace.run(() => ran.push('first'));
      pace.run(() => {
        throw new Error('broken');
      });
      pace.run(() => ran.push('last'));
      await until(() => ran.length === 2 && errors.length === 1);
      expect(errors[0]?.message).to.equal('broken');
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of mochas) process.on('uncaughtException', listener);
    }
  });

  it('keeps the order if a task flushes or adds another', async () => {
    const pace = paceOf();
    const ran: string[] = [];
    pace.run(() => ran.push('first'));
    pace.run(() => {
      pace.flush();
      ran.push('flushed');
      pace.run(() => ran.push('added'));
    });
    pace.run(() => ran.push('waiting'));
    await until(() => ran.includes('added'));
    expect(ran).to.deep.equal(['first', 'waiting', 'flushed', 'added']);
  });

  it('runs waiting tasks immediately when flushed, and those after them later', async () => {
    const pace = paceOf();
    const ran: string[] = [];
    pace.run(() => ran.push('first'));
    pace.run(() => ran.push('second'));
    pace.flush();
    expect(ran).to.deep.equal(['first', 'second']);
    pace.run(() => ran.push('third'));
    expect(ran).to.have.length(2);
    await until(() => ran.length === 3);
  });
});
