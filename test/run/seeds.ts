/** What random tests begin with: always the same in `npm test`, another each time in `npm run prove`. */
import { randomInt } from 'node:crypto';
import process from 'node:process';

const names = ['LAW_SEED', 'FUZZ_SEED'] as const;

/** Draws the seeds that are not given, for all that this process starts. Returns them as one writes them before a command. */
export function drawSeeds(): string {
  for (const name of names) process.env[name] ??= String(randomInt(2 ** 31));
  return names.map((name) => `${name}=${process.env[name]}`).join(' ');
}
