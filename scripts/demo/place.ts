/** What the demo remembers from one start to the next, beside the database. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Place = z.object({
  /** Whether all of it was said. It is not begun again, or everything would stand there twice. */
  filled: z.boolean(),
  invite: z.string(),
  /** Where each day's session is held. */
  timelines: z.record(z.string(), z.string()),
  /** By nick: who comes back as the same person. */
  people: z.record(z.string(), z.object({ id: z.string(), cookie: z.string() })),
});
export type Place = z.infer<typeof Place>;

const fileIn = (directory: string) => join(directory, 'demo.json');

export async function readPlace(directory: string): Promise<Place | undefined> {
  const text = await readFile(fileIn(directory), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Place.parse(JSON.parse(text));
}

/** For its owner only: with these cookies anybody could speak as the guests. */
export const writePlace = (directory: string, place: Place): Promise<void> =>
  writeFile(fileIn(directory), JSON.stringify(place), { mode: 0o600 });
