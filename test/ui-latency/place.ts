import { v7 } from 'uuid';
import type { TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { writerOn } from '../../server/messages/node-writer.ts';

export interface MeasuredChannel {
  id: string;
  name: string;
}

export interface LatencyPlace {
  reader: Person;
  speaker: Person;
  serverId: string;
  channels: MeasuredChannel[];
  archive: MeasuredChannel;
}

const sayings = [
  'Yes.',
  'Staging runs the new release. The migration took 41 s on the copy of production.',
  'See https://grafana.example/d/9f3c1e and `npm start`, **before** Monday.',
  'One more thing: the reconnect storm after the rollout is gone too. '.repeat(4).trim(),
  'First\nsecond\nthird',
];

export async function populate(app: TestApp, history: number): Promise<LatencyPlace> {
  const [reader, speaker] = [await app.person('Ann'), await app.person('Ben')];
  const { server } = await reader.send('server:create', { name: 'Fjord Labs' });
  const { invite } = await reader.send('invite:create', { serverId: server.id });
  await speaker.send('server:join', { code: invite.code });
  const create = async (name: string, messages: number): Promise<MeasuredChannel> => {
    const { channel } = await reader.send('channel:create', { serverId: server.id, name });
    await fill(app, [reader, speaker], channel, messages);
    return { id: channel.id, name };
  };
  const channels: MeasuredChannel[] = [];
  for (let i = 1; i <= 30; i += 1) channels.push(await create(`channel-${i}-`, 100));
  return {
    reader,
    speaker,
    serverId: server.id,
    channels,
    archive: await create('archive', history),
  };
}

async function fill(app: TestApp, people: Person[], channel: MeasuredChannel, messages: number) {
  const writer = writerOn(app.node);
  for (let from = 0; from < messages; from += 500) {
    const numbers = Array.from({ length: Math.min(500, messages - from) }, (_, i) => from + i);
    await Promise.all(
      numbers.map((i) => {
        const user = people[Math.floor(i / 3) % people.length]?.user;
        if (user === undefined) throw new Error('nobody speaks');
        const body = `${sayings[i % sayings.length]} (${channel.name} ${i + 1})`;
        return writer.write({ do: 'send', user, timelineId: channel.id, id: v7(), body });
      }),
    );
  }
  for (const person of people)
    await person.send('read:update', { timelineId: channel.id, position: messages });
}
