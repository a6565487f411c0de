import { expect } from 'chai';
import { foldLines, isFold } from '../../client/messages/folding.ts';
import type { MessageItem } from '../../client/messages/lines.ts';

const line = (id: string, authorId: string, more: Partial<MessageItem> = {}): MessageItem => ({
  ...{ id, authorId, at: 0, body: 'hello', deleted: false },
  ...{ startsDay: false, startsGroup: true, startsNew: false },
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
