/** Seeds of the random tests: fixed in `npm test`, drawn for each run of `npm run prove`. */
import { randomInt } from 'node:crypto';
import process from 'node:process';

const names = ['LAW_SEED', 'FUZZ_SEED'] as const;

/** Sets the missing seeds, for child processes too. Returns shell assignments that repeat the run. */
export function drawSeeds(): string {
  for (const name of names) process.env[name] ??= String(randomInt(2 ** 31));
  return names.map((name) => `${name}=${process.env[name]}`).join(' ');
}
