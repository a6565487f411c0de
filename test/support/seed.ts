import { seeded, type Random } from './generate.ts';

/** The same in each run of `npm test`; `npm run prove` draws one, and `LAW_SEED=…` sets it. */
export const lawSeed = Number(process.env.LAW_SEED ?? 1);
export const lawRandom = (): Random => seeded(lawSeed);
