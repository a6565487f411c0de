import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { fillDemo } from '../../scripts/demo/fill.ts';
import { readPlace, type DemoPlace } from '../../scripts/demo/place.ts';
import { keepTalking } from '../../scripts/demo/talk.ts';
import { ownerInvite } from '../../server/invites/invites.ts';
import { ReplayCrowd } from '../replay/crowd.ts';
import { readLines, spoken, type ScriptLine } from '../replay/lines.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAs, enterAs } from '../support/person.ts';

const excerpt = fileURLToPath(new URL('../fixtures/ubuntu-irc.jsonl', import.meta.url));

describe('the demo', () => {
  let node: TestApp;
  let directory: string;
  let place: DemoPlace;
  let lines: ScriptLine[];

  before(async function () {
    node = await startApp();
    directory = await mkdtemp(join(tmpdir(), 'parley-demo-'));
    lines = await readLines(excerpt);
    expect(await readPlace(directory)).to.be.undefined;
    const address = `${node.url}/join/${await ownerInvite(node.db)}`;
    place = await fillDemo(address, lines, directory, () => undefined);
  });
  after(async () => {
    await node.close();
    await rm(directory, { recursive: true });
  });

  const newcomer = (invite?: string) =>
    enterAs(node.url, 'guest', { displayName: 'Newcomer', invite });

  it('is the first server, with all messages, and channels under headings', async () => {
    expect(await readPlace(directory)).to.deep.equal(place);
    expect(place.filled).to.be.true;
    const person = await newcomer(place.invite);
    const { servers } = await person.send('server:list', {});
    expect(servers).to.have.lengthOf(1);
    expect(servers[0]).to.include({ name: 'Ubuntu', defaultChannelId: place.arrivalId });
    const { serverId } = place;
    const { categories } = await person.send('category:list', { serverId });
    expect(categories.map(({ name }) => name)).to.deep.equal(['Support', 'Community']);
    for (const [day, timelineId] of Object.entries(place.timelines)) {
      const { messages } = await person.send('message:list', { timelineId, limit: 100 });
      const said = lines.filter((line) => line.day === day && spoken(line) !== undefined);
      expect(messages.map(({ body }) => body)).to.include.members(said.map(spoken));
    }
    const [line] = lines.filter((one) => spoken(one) !== undefined);
    const timelineOf = () => place.timelines[line!.day]!;
    const stage = { invite: place.invite, timelineOf };
    const crowd = new ReplayCrowd(lines, [node.url], stage, { known: place.people });
    const again = await crowd.perform(line!);
    expect(again?.authorId, 'who comes back is the same person').to.equal(
      place.people[line!.nick]?.id,
    );
    crowd.close();
  });

  it('has something of each kind waiting for its owner', async () => {
    const { ready, id } = await connectAs(node.url, place.regulars.mika?.cookie ?? '');
    if (ready.status !== 'snapshot') throw new Error(ready.status);
    const { privateChannels, conversations, friendRequests, friendships } = ready.state;
    expect(privateChannels).to.have.lengthOf(1);
    expect(friendships).to.have.lengthOf(1);
    expect(friendRequests.map(({ recipientId }) => recipientId)).to.deep.equal([id]);
    expect(conversations.map(({ kind }) => kind)).to.have.members(['pair', 'group']);
    const unread = (timelineId: string) => {
      const { last = 0, read = 0, mentions = [] } = ready.timelines[timelineId] ?? {};
      return { messages: last - read, mentions: mentions.length };
    };
    for (const timelineId of [
      ...Object.values(place.timelines),
      ...[...privateChannels, ...conversations].map(({ id }) => id),
    ])
      expect(unread(timelineId).messages).to.be.above(0);
    expect(unread(place.arrivalId).mentions).to.equal(1);
    const { servers } = ready.state;
    const serverId = servers[0]?.id ?? '';
    const { members } = await (
      await connectAs(node.url, place.regulars.mika?.cookie ?? '')
    ).send('member:list', { serverId, userIds: [id] });
    expect(members[0]?.role).to.equal('owner');
  });

  it('continues: members type and write in the first channel, welcoming others', async () => {
    const person = await newcomer(place.invite);
    await person.send('channel:join', { channelId: place.arrivalId });
    const talking = new AbortController();
    const talk = keepTalking(node.url, lines, place, talking.signal);
    await person.waitFor('typing', ({ timelineId }) => timelineId === place.arrivalId);
    await person.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'message:created'),
    );
    const late = await newcomer(place.invite);
    await late.waitFor('changes', ({ changes }) =>
      changes.some(({ type }) => type === 'conversation:created'),
    );
    talking.abort();
    await talk;
  });
});
