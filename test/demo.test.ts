/** The place that `npm run demo` makes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { fill } from '../scripts/demo/fill.ts';
import { readPlace } from '../scripts/demo/place.ts';
import { Crowd } from '../scripts/replay/crowd.ts';
import { readLines, spoken } from '../scripts/replay/lines.ts';
import { startApp } from './support/app.ts';
import { enterAs } from './support/person.ts';

const excerpt = fileURLToPath(new URL('fixtures/ubuntu-irc.jsonl', import.meta.url));

it('The demo is a server with several channels, and the Lobby, where everything was said', async function () {
  const node = await startApp();
  const directory = await mkdtemp(join(tmpdir(), 'parley-demo-'));
  const lines = await readLines(excerpt);
  expect(await readPlace(directory)).to.be.undefined;
  const place = await fill(node.url, lines, directory, () => undefined);
  expect(await readPlace(directory)).to.deep.equal(place);
  expect(place.filled).to.be.true;

  const { invite } = place;
  const newcomer = await enterAs(node.url, 'guest', { displayName: 'Newcomer', invite });
  const { servers } = await newcomer.send('server:list', {});
  expect(servers.map(({ name }) => name)).to.have.members(['Lobby', 'Ubuntu']);
  for (const [day, timelineId] of Object.entries(place.timelines)) {
    const there = await newcomer.send('message:list', { timelineId, limit: 100 });
    const said = lines.filter((line) => line.day === day && spoken(line) !== undefined);
    expect(there.messages.map(({ body }) => body)).to.have.members(said.map(spoken));
  }

  const [line] = lines.filter((one) => spoken(one) !== undefined);
  const timelineOf = () => place.timelines[line!.day]!;
  const crowd = new Crowd(lines, [node.url], { invite, timelineOf }, { known: place.people });
  const again = await crowd.perform(line!);
  expect(again?.authorId, 'who comes back is the same person').to.equal(
    place.people[line!.nick]?.id,
  );
  crowd.close();
  newcomer.close();
  await node.close();
  await rm(directory, { recursive: true });
});
