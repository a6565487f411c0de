import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Identity = z.object({ id: z.string(), cookie: z.string() });

const Place = z.object({
  /** True when everything was said. Filling does not start again, because it would repeat messages. */
  filled: z.boolean(),
  invite: z.string(),
  serverId: z.string(),
  arrivalId: z.string(),
  /** The timeline of each day’s session. */
  timelines: z.record(z.string(), z.string()),
  regulars: z.record(z.string(), Identity),
  /** Guests who return as the same person, by nick. */
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
    throw new Error(`${directory} contains an older demo. Delete it to start a new one.`);
  return data;
}

/** Only the owner of the file can read it, because its cookies let anyone act as these people. */
export const writePlace = (directory: string, place: DemoPlace): Promise<void> =>
  writeFile(fileIn(directory), JSON.stringify(place), { mode: 0o600 });
