import { seeded, type Random } from './generate.ts';

/** A seed of its own for each run, told with the test; `LAW_SEED=…` repeats one. */
export const lawSeed = Number(process.env.LAW_SEED ?? Math.floor(Math.random() * 2 ** 31));
export const lawRandom = (): Random => seeded(lawSeed);
