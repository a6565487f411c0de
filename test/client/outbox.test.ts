import { expect } from 'chai';
import * as outbox from '../../client/messages/outbox.ts';

const two = outbox.write(outbox.write([], { id: 'a', body: 'first', writtenAt: 1, extras: {} }), {
  id: 'b',
  body: 'second',
  writtenAt: 2,
  extras: {},
});

describe('the outbox', () => {
  it('sends one at a time, in the order of writing', () => {
    expect(outbox.nextToSend(two, 10)?.id).to.equal('a');
    const underWay = outbox.sending(two, 'a');
    expect(outbox.nextToSend(underWay, 10)).to.be.undefined;
    expect(outbox.nextToSend(outbox.without(underWay, ['a']), 10)?.id).to.equal('b');
  });

  it('lets the others pass one that failed, and keeps its place and id for the retry', () => {
    const failed = outbox.failed(outbox.sending(two, 'a'), 'a', 'no answer');
    expect(outbox.nextToSend(failed, 10)?.id).to.equal('b');
    const again = outbox.waiting(failed, 'a');
    expect(outbox.nextToSend(again, 10)).to.deep.equal(two[0]);
  });

  it('waits as long as the server asked, with all that come after', () => {
    const patient = outbox.waitingUntil(two, 'a', 100);
    expect(outbox.nextToSend(patient, 99)).to.be.undefined;
    expect(outbox.nextToSend(patient, 100)?.id).to.equal('a');
  });

  it('adds the entries of an earlier visit, in the order of writing, and none twice', () => {
    const earlier = outbox.write(
      outbox.write([], { id: '0', body: 'earlier', writtenAt: 0, extras: {} }),
      {
        id: 'b',
        body: 'second',
        writtenAt: 2,
        extras: {},
      },
    );
    const underWay = outbox.sending(two, 'a');
    const joined = outbox.join(underWay, earlier);
    expect(joined.map(({ id, state }) => [id, state])).to.deep.equal([
      ['0', 'waiting'],
      ['a', 'sending'],
      ['b', 'waiting'],
    ]);
    expect(outbox.nextToSend(joined, 10)?.id).to.equal('0');
  });

  it('removes confirmed entries, by id only', () => {
    expect(outbox.without(two, ['x'])).to.equal(two);
    expect(outbox.without(two, ['b', 'x']).map(({ id }) => id)).to.deep.equal(['a']);
  });

  it('keeps the reply of an entry through all its states', () => {
    const reply = { id: 'm', authorId: 'ben', excerpt: 'Tea?', notify: true };
    const written = outbox.write([], { id: 'a', body: 'Yes', writtenAt: 1, extras: { reply } });
    const failed = outbox.failed(outbox.sending(written, 'a'), 'a', 'no answer');
    expect(outbox.waiting(failed, 'a')[0]?.extras.reply).to.equal(reply);
  });

  it('returns the time until the first message may be sent', () => {
    const written = outbox.write([], { id: 'a', body: 'a', writtenAt: 0, extras: {} });
    expect(outbox.waitOf(written, 100)).to.equal(0);
    const waits = outbox.waitingUntil(written, 'a', 101.6);
    expect(outbox.waitOf(waits, 100)).to.be.closeTo(1.6, 0.01);
    expect(outbox.nextToSend(waits, 101)).to.equal(undefined);
    expect(outbox.waitOf(waits, 101)).to.be.above(0);
    expect(outbox.nextToSend(waits, 102)?.id).to.equal('a');
    expect(outbox.waitOf(outbox.failed(waits, 'a', 'no'), 100)).to.equal(0);
  });
});
