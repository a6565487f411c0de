import { expect } from 'chai';
import { packed, unpacked } from '../../server/realtime/node-messages.ts';
import type { People } from '../../shared/people.ts';

describe('people sent between nodes', () => {
  const person = (name: string) => ({ id: name, name, kind: 'registered' as const, rev: 1 });
  const both: People = { ann: person('ann'), ben: person('ben') };
  const one: People = { cem: person('cem') };
  const envelope = (room: 'user:a' | 'user:b' | 'user:c', people: People) => ({
    ...{ room, from: 1, to: 2, changes: [], people },
  });

  it('are sent once if equal, and arrive unchanged', () => {
    const sent = [envelope('user:a', both), envelope('user:b', one), envelope('user:c', both)];
    const travelling = JSON.parse(JSON.stringify(packed(sent))) as ReturnType<typeof packed>;
    expect(JSON.stringify(travelling).match(/"ben"/g)).to.have.length(3);
    expect(travelling.people).to.deep.equal([both]);
    const around = { kind: 'news' as const, epoch: '', departures: [], arrivals: [] };
    const arrived = unpacked({ ...around, ...travelling });
    expect(arrived).to.deep.equal(sent);
  });
});
