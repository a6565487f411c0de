import { expect } from 'chai';
import { foldLines, isFold, joinDeleted } from '../../client/messages/folding.ts';
import { linesOf, type MessageItem } from '../../client/messages/lines.ts';
import type { Message } from '../../shared/messages.ts';

const line = (id: string, authorId: string, more: Partial<MessageItem> = {}): MessageItem => ({
  ...{ id, authorId, at: 0, body: 'hello', deleted: false },
  ...{ startsDay: false, startsGroup: true, startsNew: false, isLast: false },
  ...more,
});
const hides = ({ authorId }: MessageItem) => authorId === 'ben' || authorId === 'cem';
const fold = (...lines: MessageItem[]) =>
  foldLines(lines, hides).map((each) => (isFold(each) ? each.folded.map(({ id }) => id) : each.id));

describe('a fold', () => {
  it('covers a run of hidden messages, regardless of their authors', () => {
    const lines = [line('1', 'ann'), line('2', 'ben'), line('3', 'cem'), line('4', 'ann')];
    expect(fold(...lines, line('5', 'ben'))).to.deep.equal(['1', ['2', '3'], '4', ['5']]);
  });

  it('ends before a new day, and before new messages', () => {
    const lines = [line('1', 'ben'), line('2', 'ben', { startsDay: true }), line('3', 'ben')];
    expect(fold(...lines, line('4', 'ben', { startsNew: true }))).to.deep.equal([
      ['1'],
      ['2', '3'],
      ['4'],
    ]);
  });

  it('has the id of its last line and the dividers of its first', () => {
    const [only] = foldLines([line('1', 'ben', { startsDay: true }), line('2', 'ben')], hides);
    expect(only).to.include({ id: '2', startsDay: true });
  });
});

describe('a row of deleted messages', () => {
  const message = (position: number, deletedBy?: string): Message => ({
    ...{ id: `${position}`, timelineId: 't', authorId: 'ben', position, version: position },
    ...{ body: '', createdAt: new Date(0).toISOString() },
    ...(deletedBy !== undefined && { deletedAt: new Date(0).toISOString(), deletedBy }),
  });
  const of = (...messages: Message[]) => joinDeleted(linesOf(messages, [], 'me'));
  const counts = (...messages: Message[]) =>
    of(...messages).map(({ id, deletedCount }) => [id, deletedCount]);

  it('covers a run that the same moderator deleted, and has the id of its last message', () => {
    const [ann, dora] = [message(2, 'ann'), message(5, 'dora')];
    const run = [message(1), ann, message(3, 'ann'), message(4, 'ann'), dora, message(6)];
    expect(counts(...run)).to.deep.equal([
      ['1', undefined],
      ['4', 3],
      ['5', undefined],
      ['6', undefined],
    ]);
  });

  it('keeps the day divider, and ends before the next', () => {
    const later = { ...message(3, 'ann'), createdAt: new Date(48 * 3_600_000).toISOString() };
    const lines = of(message(1, 'ann'), message(2, 'ann'), later);
    expect(lines.map(({ startsDay, deletedCount }) => [startsDay, deletedCount])).to.deep.equal([
      [true, 2],
      [true, undefined],
    ]);
  });

  it('stays the same object while nothing changes, so that it is not rendered again', () => {
    const run = [message(1, 'ann'), message(2, 'ann'), message(3), message(4)];
    const [before, after] = [of(...run), of(...run, message(5))];
    expect(after[0]).to.equal(before[0]);
    expect(after[1]).to.equal(before[1]);
  });
});
