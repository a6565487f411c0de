import { expect } from 'chai';
import { csvLine } from '../../client/audit/csv.ts';
import { kinds, type Kind } from '../../client/audit/kinds.ts';
import { partsOf, textOf, type Names } from '../../client/audit/sentences.ts';
import { actionsOf } from '../../client/audit/wordings.ts';
import { AuditAction, type AuditEntry } from '../../shared/audit.ts';
import { lawRandom } from '../support/seed.ts';

/** Reads lines as RFC 4180 defines them, and removes the apostrophe that keeps a cell from being a formula. */
function parse(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < csv.length;) {
    expect(csv[at]).to.equal('"');
    let cell = '';
    for (at += 1; csv[at] !== '"' || csv[at + 1] === '"'; at += 1) {
      cell += csv.charAt(at);
      if (csv[at] === '"') at += 1;
    }
    expect(cell).not.to.match(/^[=+\-@\t\r]/);
    row.push(/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
    at += 1;
    if (csv[at] === ',') at += 1;
    else {
      expect(csv.slice(at, at + 2)).to.equal('\r\n');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

describe('the export of the audit log', () => {
  it('preserves every text, and has no cell that begins like a formula', () => {
    const random = lawRandom();
    const letters = ['"', "'", '=', '+', '-', '@', '\t', '\r', '\n', ',', ';', 'a', '😀', ' '];
    const text = () =>
      Array.from({ length: random.int(0, 6) }, () => random.pick(letters)).join('');
    for (let round = 0; round < 500; round += 1) {
      const rows = Array.from({ length: 3 }, () => [text(), text(), text()]);
      expect(parse(rows.map(csvLine).join(''))).to.deep.equal(rows);
    }
  });
});

describe('an entry of the audit log in words', () => {
  const names: Names = {
    person: (id) => ({ a: 'Ann', b: 'Ben' })[id] ?? '?',
    channel: (_serverId, id) => (id === 'c' ? 'general' : undefined),
  };
  const entryOf = (action: AuditAction, more: Partial<AuditEntry> = {}): AuditEntry => ({
    ...{ id: 1, action, actorId: 'a', serverId: 's', userId: 'b', subjectId: 'c', count: 1 },
    ...{ detail: '10', at: '2026-01-05T09:00:00.000Z', lastAt: '2026-01-05T09:00:00.000Z' },
    ...more,
  });
  const inWords = (action: AuditAction, more?: Partial<AuditEntry>) =>
    textOf(entryOf(action, more), names);

  it('has one kind for each action, so that the filter finds each', () => {
    const filtered = (Object.keys(kinds) as Kind[]).flatMap(actionsOf);
    expect(filtered.toSorted()).to.deep.equal(AuditAction.options.toSorted());
  });

  it('names the people and things of the action', () => {
    expect(inWords('ban:created')).to.equal('Ann banned Ben');
    expect(inWords('member:roleChanged', { detail: 'moderator' })).to.equal(
      'Ann made Ben a moderator',
    );
    expect(inWords('channel:memberAdded')).to.equal('Ann added Ben to #general');
    expect(inWords('channel:closed', { subjectId: 'd' })).to.equal('Ann made a channel private');
    expect(inWords('channel:slowModeSet', { detail: '0' })).to.equal(
      'Ann set slow mode in #general to off',
    );
    expect(inWords('channel:slowModeSet', { detail: '60' })).to.equal(
      'Ann set slow mode in #general to one message every minute',
    );
    expect(inWords('channel:deleted', { detail: 'old' })).to.equal('Ann deleted the channel #old');
    expect(inWords('message:deleted', { userId: null })).to.equal(
      'Ann deleted a message from someone',
    );
  });

  it('names no actor if the action was not by a signed-in person', () => {
    const alone = { actorId: null };
    expect(inWords('ban:ended', alone)).to.equal('The ban on Ben expired');
    expect(inWords('member:timeoutEnded', alone)).to.equal('The time-out of Ben expired');
    expect(inWords('member:timeoutEnded', { ...alone, count: 7 })).to.equal('7 time-outs expired');
    expect(inWords('account:suspended', alone)).to.equal('An operator suspended Ben');
    expect(inWords('session:refused', { ...alone, count: 3 })).to.equal(
      'Someone tried to sign in as Ben with a wrong password 3 times',
    );
    expect(inWords('session:refused', { ...alone, userId: null })).to.equal(
      'Someone tried to sign in with a wrong username or password',
    );
  });

  it('shows no detail in an entry of several actions', () => {
    for (const action of AuditAction.options) {
      const parts = partsOf(entryOf(action, { count: 7, detail: 'detail' }), names);
      const isSameAccount = action === 'session:refused';
      const shown = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name]));
      expect(shown.filter((name) => name !== 'Ann')).to.deep.equal(isSameAccount ? ['Ben'] : []);
      expect(parts, action).to.include('7');
    }
  });
});
