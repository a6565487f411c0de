import { v7 } from 'uuid';
import { writerOn } from '../../server/messages/node-writer.ts';
import type { Act, Case, Figures } from './case.ts';
import type { Audience } from './load-process.ts';
import { body } from './load.ts';
import type { BenchPlace } from './place.ts';

export const stormLegend =
  'Storm: each of the members does one thing within the same second, and all of them hear it. Packets are those of\n' +
  'the channel at each of them; CPU is the server’s own. The baseline is a message of each.';

/** The action of each member, once, evenly spread over a second. */
export type Storm = { timelineId: string } & ({ do: 'react'; messageId: string } | { do: 'say' });

export function storming(members: number, { timelineIds }: BenchPlace): Act {
  const [timelineId = ''] = timelineIds.slice(-3);
  const heading = `${members} members, all of them within a second`;
  return {
    people: members,
    channels: [timelineId],
    casesWith: (crowd): Case[] => [
      {
        ...{ heading, name: 'a message each', isBaseline: true },
        measure: () => measureStorm(crowd, { do: 'say', timelineId }),
      },
      {
        ...{ heading, name: 'a reaction each, to one message' },
        async measure(place) {
          const messageId = await saySomething(place, timelineId);
          return measureStorm(crowd, { do: 'react', timelineId, messageId });
        },
      },
    ],
  };
}

async function saySomething({ node, people }: BenchPlace, timelineId: string): Promise<string> {
  const [user] = people;
  if (user === undefined) throw new Error('there is no such person');
  return (await writerOn(node).write({ do: 'send', user, timelineId, id: v7(), body })).id;
}

/** A storm lasts one second, regardless of the length of a round. */
async function measureStorm(crowd: Audience, storm: Storm): Promise<Figures> {
  const before = process.cpuUsage();
  const figures = await crowd.storm(storm);
  const { user, system } = process.cpuUsage(before);
  return { ...figures, 'CPU ms': (user + system) / 1_000 };
}
