import type { Act } from './case.ts';
import { postmasterOf, usedByFamily } from './cpu.ts';
import type { BenchPlace } from './place.ts';

export const returningLegend =
  'Returning: all but a few are cut off at the same moment, come back within a second, and say what they hold of their\n' +
  'server and of its channel. The few who stayed say something every 50 ms. What is refused is tried again when it may be.';

export const stay = 20;

export const returning = (people: number, { timelineIds: [timelineId = ''] }: BenchPlace): Act => ({
  people,
  channels: [timelineId],
  casesWith: (crowd) => [
    {
      heading: `returning, ${people - stay} cut off at once`,
      name: 'until all are in sync',
      async measure({ db }) {
        const postmaster = await postmasterOf(db);
        const before = { node: process.cpuUsage(), postgres: await usedByFamily(postmaster) };
        const figures = await crowd.comeBack(timelineId);
        const { user, system } = process.cpuUsage(before.node);
        const postgres = (await usedByFamily(postmaster)) - before.postgres;
        const each = (microseconds: number) => microseconds / 1_000 / (people - stay);
        return { ...figures, 'CPU ms each': each(user + system), 'PG ms each': each(postgres) };
      },
    },
  ],
});
