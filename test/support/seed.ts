import { seeded, type Random } from './generate.ts';

/** Fixed in `npm test`, drawn for each run of `npm run prove`; `LAW_SEED=…` sets it in both. */
export const lawSeed = Number(process.env.LAW_SEED ?? 1);
export const lawRandom = (): Random => seeded(lawSeed);
