import { expect } from 'chai';
import fc from 'fast-check';
import { coversFrom, isGone, linesOf } from '../../client/messages/lines.ts';
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
const deleted = { deletedAt: new Date(noon).toISOString() };

describe('the lines of a timeline', () => {
  it('show pending messages last, and only once after they arrive', () => {
    const mine = write([], { id: 'm2', body: 'hello', writtenAt: noon, extras: {} });
    expect(linesOf([message(1, 0)], mine, 'me').map(({ id }) => id)).to.deep.equal(['m1', 'm2']);
    const arrived = linesOf([message(1, 0), message(2, 1)], mine, 'me');
    expect(arrived.map(({ id, entry }) => [id, entry])).to.deep.equal([
      ['m1', undefined],
      ['m2', undefined],
    ]);
  });

  it('name an author once in five minutes', () => {
    const lines = linesOf([message(1, 0), message(2, 5), message(3, 11)], [], 'me');
    expect(lines.map(({ startsGroup }) => startsGroup)).to.deep.equal([true, false, true]);
  });

  it('name the author again after another one, a moderated message or a new day', () => {
    const lines = linesOf(
      [
        message(1, 0),
        message(2, 1, { authorId: 'ben' }),
        message(3, 2, { authorId: 'ben', ...deleted, deletedBy: 'ana' }),
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

  const history = fc
    .tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.array(
        fc.record({
          authorId: fc.constantFrom('ana', 'ben'),
          apart: fc.constantFrom(0, 1, 6, 24 * 60),
          is: fc.constantFrom('there', 'there', 'gone', 'moderated'),
        }),
        { maxLength: 20 },
      ),
    )
    .map(([first, all]) => {
      let minutes = 0;
      return all.map(({ authorId, apart, is }, index) => {
        minutes += apart;
        const more =
          is === 'there' ? {} : is === 'gone' ? deleted : { ...deleted, deletedBy: 'cem' };
        return message(first + index, minutes, { authorId, ...more });
      });
    });
  const positionOf = ({ message }: { message?: Message }) => message?.position ?? NaN;

  it('are as if messages deleted by their author had never been sent', () => {
    fc.assert(
      fc.property(history, fc.option(fc.integer({ min: 1, max: 25 })), (messages, firstNew) => {
        const left = messages.filter((each) => !isGone(each));
        const lines = linesOf(messages, [], 'me', { firstNew: firstNew ?? undefined });
        expect(lines.map(positionOf)).to.deep.equal(left.map(({ position }) => position));
        const start = messages[0]?.position ?? 1;
        const newest = left.find(
          ({ position, deletedAt }) =>
            firstNew !== null && firstNew >= start && position >= firstNew && !deletedAt,
        );
        expect(lines.filter(({ startsNew }) => startsNew).map(positionOf)).to.deep.equal(
          newest ? [newest.position] : [],
        );
        expect(lines).to.deep.equal(linesOf(left, [], 'me', { firstNew: newest?.position }));
      }),
    );
  });

  it('cover all positions up to the last of them, each its own', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const lines = linesOf(messages, [], 'me');
        let next = messages[0]?.position ?? 1;
        for (const position of lines.map(positionOf)) {
          expect(coversFrom(lines, position) ?? messages[0]?.position).to.equal(next);
          next = position + 1;
        }
        expect(messages.filter((each) => each.position >= next).every(isGone)).to.be.true;
      }),
    );
  });

  it('stay the same objects after a new message, except the last two', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const next = message((messages.at(-1)?.position ?? 0) + 1, 10_000);
        const [before, after] = [messages, [...messages, next]].map((all) =>
          linesOf(all, [], 'me'),
        );
        const kept = before?.slice(0, -1) ?? [];
        expect(kept.every((line, index) => line === after?.[index])).to.be.true;
      }),
    );
  });
});
