/**
 * The recipients of each type of change. A person of every kind subscribes to everything they can; nobody else learns
 * of it by any event. A type without a row does not compile.
 */
import { expect } from 'chai';
import { disjoint } from '../../shared/contract.ts';
import { serverEvents } from '../../shared/events.ts';
import type { ServerToClientEvents } from '../../shared/protocol.ts';
import type { ChangeType } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { gatherListeners, gatherAgain, type Gathering, type ListenerKind } from './gathering.ts';
import type { RecipientCase, RecipientCases } from './recipients.ts';
import { peopleRecipients } from './recipients-people.ts';
import { largeServerRecipients, serverRecipients } from './recipients-servers.ts';
import { taskRecipients } from './recipients-tasks.ts';
import { transferRecipients } from './recipients-transfers.ts';
import { until } from '../support/time.ts';

const cases: RecipientCases<ChangeType> = disjoint([
  serverRecipients,
  largeServerRecipients,
  transferRecipients,
  taskRecipients,
  peopleRecipients,
]);

const events = Object.keys(serverEvents) as (keyof ServerToClientEvents)[];

function listen(people: Gathering['people']) {
  const listeners = Object.entries(people) as [ListenerKind, Person][];
  const before = new Map(
    listeners.map(([, person]) => [person, events.map((event) => person.received(event).length)]),
  );
  const newsOf = (person: Person) =>
    events.flatMap((event, i) =>
      person
        .received(event)
        .slice(before.get(person)?.[i] ?? 0)
        .map((payload) => ({ event, payload })),
    );
  return {
    receiversOf: (type: ChangeType) =>
      listeners
        .filter(([, person]) => JSON.stringify(newsOf(person)).includes(`"type":"${type}"`))
        .map(([listener]) => listener),
    /** `head` does not count, because it only names a room that is closed. */
    receiversNaming: (id: string) =>
      listeners
        .filter(([, person]) =>
          newsOf(person)
            .filter(({ event }) => event !== 'head')
            .some((news) => JSON.stringify(news).includes(id)),
        )
        .map(([listener]) => listener),
  };
}

/** Waits for a round trip of each person, so that all earlier events have arrived. */
const settle = (people: Gathering['people']) =>
  Promise.all(Object.values(people).map((person) => person.send('block:list', {})));

/** Waits until the presence of all who have connected so far is sent, which happens once a second. */
async function openPresenceWait(app: TestApp): Promise<() => Promise<void>> {
  const [watcher, marker] = [await app.person(), await app.person()];
  const { server } = await watcher.send('server:create', { name: 'Watched' });
  const { invite } = await watcher.send('invite:create', { serverId: server.id });
  await marker.send('server:join', { code: invite.code });
  await watcher.send('server:open', { serverId: server.id });
  let turns = 0;
  return async () => {
    const before = watcher.received('presence').length;
    const status = (turns += 1) % 2 === 1 ? 'dnd' : 'idle';
    await marker.send('presence:set', { status });
    await until(() => {
      app.pass(1_000);
      return watcher
        .received('presence')
        .slice(before)
        .some(({ users }) => users[marker.id] === status);
    });
  };
}

const rowsOf = (some: Partial<RecipientCases<ChangeType>>) =>
  Object.entries(some) as [ChangeType, RecipientCase[]][];

function testRecipients(
  rows: [ChangeType, RecipientCase[]][],
  settings: Record<string, string> = {},
) {
  let app: TestApp;
  let gathering: Gathering | undefined;
  let waitForPresence: () => Promise<void>;

  before(async () => {
    app = await startApp(settings);
    waitForPresence = await openPresenceWait(app);
  });
  after(async () => {
    closePeople();
    await app.close();
  });

  function closePeople() {
    for (const person of Object.values(gathering?.people ?? {})) person.close();
    gathering = undefined;
  }

  /** Gathers people, and waits for the resulting events, so that they are not taken for later ones. */
  async function gathered(coming: () => Promise<Gathering>) {
    const all = await coming();
    await waitForPresence();
    await settle(all.people);
    return all;
  }

  async function check(type: ChangeType, { act, recipients, also = [], ends }: RecipientCase) {
    gathering ??= await gathered(() => gatherListeners(app));
    const { people } = gathering;
    const { receiversOf, receiversNaming } = listen(people);
    const about = await act(gathering);
    await until(() => receiversOf(type).length >= recipients.length);
    await settle(people);
    expect(receiversOf(type)).to.have.members(recipients);
    const known = [...recipients, ...also];
    expect(receiversNaming(about).filter((listener) => !known.includes(listener))).to.deep.equal(
      [],
    );
    if (ends === 'everything') closePeople();
    const former = gathering;
    if (ends === 'server') gathering = await gathered(() => gatherAgain(former));
  }

  for (const [type, some] of rows)
    for (const row of some) it([type, row.what].filter(Boolean).join(': '), () => check(type, row));
}

describe('permissions to receive changes', () => {
  testRecipients(rowsOf(cases).filter(([type]) => !(type in largeServerRecipients)));
});

describe('permissions to receive changes of a large server', () => {
  testRecipients(rowsOf(largeServerRecipients), { PARLEY_LARGE_SERVER: '3' });
});
