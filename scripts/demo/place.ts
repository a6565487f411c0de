/** What the demo remembers from one start to the next, beside the database. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Identity = z.object({ id: z.string(), cookie: z.string() });

const Place = z.object({
  /** Whether all of it was said. It is not begun again, or everything would stand there twice. */
  filled: z.boolean(),
  invite: z.string(),
  serverId: z.string(),
  /** Where newcomers arrive. */
  arrivalId: z.string(),
  /** Where each day's session is held. */
  timelines: z.record(z.string(), z.string()),
  /** By username: who is registered there. */
  regulars: z.record(z.string(), Identity),
  /** By nick: guests who come back as the same person. */
  people: z.record(z.string(), Identity),
});
export type DemoPlace = z.infer<typeof Place>;

const fileIn = (directory: string) => join(directory, 'demo.json');

/** @throws Error if another version of the demo has written it */
export async function readPlace(directory: string): Promise<DemoPlace | undefined> {
  const text = await readFile(fileIn(directory), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { data } = Place.safeParse(JSON.parse(text));
  if (data === undefined)
    throw new Error(`${directory} holds an older demo. Remove it to start a new one.`);
  return data;
}

/** For its owner only: with these cookies anybody could speak as those who are there. */
export const writePlace = (directory: string, place: DemoPlace): Promise<void> =>
  writeFile(fileIn(directory), JSON.stringify(place), { mode: 0o600 });
