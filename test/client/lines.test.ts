import { expect } from 'chai';
import { linesOf } from '../../client/messages/lines.ts';
import { write } from '../../client/messages/outbox.ts';
import type { Message } from '../../shared/messages.ts';

const noon = new Date(2026, 10, 20, 12).getTime();
const message = (position: number, minutes: number, more: Partial<Message> = {}): Message => ({
  id: `m${position}`,
  timelineId: 't',
  authorId: 'ana',
  position,
  version: position,
  body: 'hello',
  createdAt: new Date(noon + minutes * 60_000).toISOString(),
  ...more,
});

describe('the lines of a timeline', () => {
  it('shows what is on its way last, and once only when it has arrived', () => {
    const mine = write([], { id: 'm2', body: 'hello', writtenAt: noon, extras: {} });
    expect(linesOf([message(1, 0)], mine, 'me').map(({ id }) => id)).to.deep.equal(['m1', 'm2']);
    const arrived = linesOf([message(1, 0), message(2, 1)], mine, 'me');
    expect(arrived.map(({ id, entry }) => [id, entry])).to.deep.equal([
      ['m1', undefined],
      ['m2', undefined],
    ]);
  });

  it('names an author once in five minutes', () => {
    const lines = linesOf([message(1, 0), message(2, 5), message(3, 11)], [], 'me');
    expect(lines.map(({ startsGroup }) => startsGroup)).to.deep.equal([true, false, true]);
  });

  it('names the author anew after another one, a deleted message or a new day', () => {
    const lines = linesOf(
      [
        message(1, 0),
        message(2, 1, { authorId: 'ben' }),
        message(3, 2, { authorId: 'ben', deletedAt: new Date(noon).toISOString() }),
        message(4, 3, { authorId: 'ben' }),
        message(5, 12 * 60 + 1, { authorId: 'ben' }),
      ],
      [],
      'me',
    );
    expect(lines.map(({ startsGroup }) => startsGroup)).to.deep.equal([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(lines.map(({ startsDay }) => startsDay)).to.deep.equal([
      true,
      false,
      false,
      false,
      true,
    ]);
  });
});
