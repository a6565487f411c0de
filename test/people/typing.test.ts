import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sentence } from '../../client/typing/sentence.ts';
import { typingEvents } from '../../shared/typing.ts';
import { commandRates } from '../../shared/limits.ts';
import type { Typing } from '../../shared/typing.ts';
import { startApp, startStrictApp } from '../support/app.ts';
import { connectBot, type Person } from '../support/person.ts';
import {
  allTopologies,
  describeTopologies,
  keepingBack,
  type Topology,
} from '../support/topologies.ts';
import { until } from '../support/time.ts';

const { pace } = typingEvents.typing;

async function talking(topology: Topology) {
  const [here, there] = topology.nodes;
  const [ann, ben] = [await here.person('Ann'), await there.person('Ben')];
  const { server } = await ann.send('server:create', { name: 'Harbour' });
  const { invite } = await ann.send('invite:create', { serverId: server.id });
  await ben.send('server:join', { code: invite.code });
  const timelineId = server.defaultChannelId;
  for (const person of [ann, ben]) await person.send('channel:join', { channelId: timelineId });
  return { ann, ben, server, timelineId, code: invite.code };
}

const by =
  ({ id }: Person) =>
  ({ userId }: Typing) =>
    userId === id;

/** Repeats the event until it arrives, because any of them can be lost. */
async function sendTypingUntilReceived(writer: Person, listener: Person, timelineId: string) {
  await until(async () => {
    await writer.send('typing:set', { timelineId });
    return listener.received('typing').some(by(writer));
  });
}

describeTopologies(
  'typing',
  (topology) => {
    it('reaches the others in the room, and nobody else', async () => {
      const { ann, ben, server, timelineId, code } = await talking(topology());
      const annsTab = await topology().elsewhere(ann);
      await annsTab.send('channel:join', { channelId: timelineId });
      const outside = await topology().person('Cem');
      await outside.send('server:join', { code });
      await outside.send('server:open', { serverId: server.id });
      await sendTypingUntilReceived(ann, ben, timelineId);
      const [received] = ben.received('typing');
      expect(received).to.deep.equal({ timelineId, userId: ann.id });
      // Typing events are unordered, so no later event proves their absence: waits long enough for them to arrive.
      await sleep(300);
      for (const person of [ann, annsTab, outside]) expect(person.received('typing')).to.be.empty;
    });

    it('is neither sent to a removed member nor accepted from one', async () => {
      const { ann, ben, server, timelineId } = await talking(topology());
      // The other node learns of the removal only from later messages.
      await keepingBack(topology(), async () => {
        await ann.send('member:remove', { serverId: server.id, userId: ben.id });
      });
      for (let i = 0; i < 20; i += 1) await ann.send('typing:set', { timelineId });
      expect(await ben.expectError('typing:set', { timelineId })).to.include({ code: 'not_found' });
      // Waits for typing events that must not arrive.
      await sleep(1_000);
      expect(ben.received('typing')).to.deep.equal([]);
      expect(ann.received('typing')).to.deep.equal([]);
    });
  },
  allTopologies,
);

describe('typing', () => {
  it('is sent for a few of many people at once, however often they type', async () => {
    const app = await startApp();
    const ben = await app.person('Ben');
    const [lobby] = (await ben.send('server:list', {})).servers;
    const timelineId = lobby?.defaultChannelId ?? '';
    await ben.send('channel:join', { channelId: timelineId });
    const guests = await Promise.all(Array.from({ length: 12 }, () => app.guest()));
    const began = performance.now();
    await Promise.all(
      guests.map(async (guest) => {
        for (let i = 0; i < 20; i += 1) await guest.send('typing:set', { timelineId });
      }),
    );
    const stretches = 1 + Math.ceil((performance.now() - began) / pace.ms);
    await guests[0]?.send('message:send', { timelineId, body: 'That is all' });
    await ben.waitFor('changes', ({ room }) => room === `timeline:${timelineId}`);
    expect(ben.received('typing').length).to.be.within(1, stretches * pace.people);
    await app.close();
  });

  it('has a rate limit of its own', async () => {
    const app = await startStrictApp();
    const ann = await app.person();
    const [lobby] = (await ann.send('server:list', {})).servers;
    const timelineId = lobby?.defaultChannelId ?? '';
    for (let i = 0; i < commandRates.typing.points; i += 1)
      await ann.send('typing:set', { timelineId });
    const failure = await ann.expectError('typing:set', { timelineId });
    expect(failure).to.include({ code: 'rate_limited', retryable: true });
    await ann.send('message:send', { timelineId, body: 'This can still be said.' });
    await app.close();
  });

  it('is refused without the right to write', async () => {
    const app = await startApp();
    const ann = await app.person();
    const { server } = await ann.send('server:create', { name: 'Quiet' });
    const timelineId = server.defaultChannelId;
    const botWho = async (scopes: 'send'[]) => {
      const { bot, token } = await ann.send('bot:create', { name: 'Echo', scopes });
      await ann.send('bot:add', { serverId: server.id, botId: bot.id });
      return connectBot(app.url, token);
    };
    const mute = await botWho([]);
    expect(await mute.expectError('typing:set', { timelineId })).to.include({ code: 'forbidden' });
    await (await botWho(['send'])).send('typing:set', { timelineId });
    await app.close();
  });
});

const sentenceOf = (...names: string[]) =>
  sentence(names)
    .map(({ text }) => text)
    .join('');

describe('the sentence about typing people', () => {
  it('names one to four', () => {
    expect(sentenceOf()).to.equal('');
    expect(sentenceOf('Ann')).to.equal('Ann is typing…');
    expect(sentenceOf('Ann', 'Ben')).to.equal('Ann and Ben are typing…');
    expect(sentenceOf('Ann', 'Ben', 'Cem', 'Dana')).to.equal('Ann, Ben, Cem and Dana are typing…');
  });

  it('names nobody from five on', () => {
    expect(sentenceOf('Ann', 'Ben', 'Cem', 'Dana', 'Eve')).to.equal('Several people are typing…');
  });

  it('separates names from the words in between', () => {
    expect(sentence(['A and B', 'C']).filter(({ isName }) => isName)).to.have.length(2);
  });
});
