import { expect } from 'chai';
import { ByMessage } from '../../client/reactions/by-message.ts';

const message = (id: string, timelineId = 'one') => ({ id, timelineId });

describe('data of messages beyond their rows', () => {
  it('is kept for the latest few messages, and setting it again makes a message the latest', () => {
    const held = new ByMessage<number>(2);
    held.set(message('a'), 1);
    held.set(message('b'), 2);
    held.set(message('a'), 3);
    held.set(message('c'), 4);
    expect(['a', 'b', 'c'].map((id) => held.get(id))).to.deep.equal([3, undefined, 4]);
  });

  it('is dropped with its timeline', () => {
    const held = new ByMessage<number>(3);
    held.set(message('a'), 1);
    held.set(message('b', 'two'), 2);
    held.forget('one');
    expect(['a', 'b'].map((id) => held.get(id))).to.deep.equal([undefined, 2]);
  });
});
