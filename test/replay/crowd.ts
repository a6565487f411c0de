/** All the speakers of a conversation, and the walk through its lines. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Line } from './lines.ts';
import { namesFor } from './names.ts';
import type { Said } from './said.ts';
import { asError } from './patience.ts';
import { Seats } from './seats.ts';
import { Speaker, type Identity, type Stage } from './speaker.ts';
import { timetable } from './timetable.ts';

/** How many sockets may be open at a time, and how many lines may be on their way. */
export const crowding = { seats: 300, underWay: 100 };

export class Crowd {
  readonly seats: Seats;
  readonly #speakers: Map<string, Speaker>;

  /** Speakers are spread over the nodes; who has been there before comes back as the same person. */
  constructor(
    lines: readonly Line[],
    urls: readonly string[],
    stage: Omit<Stage, 'url'>,
    { seats = crowding.seats, known }: { seats?: number; known?: Record<string, Identity> } = {},
  ) {
    this.seats = new Seats(seats);
    const names = [...namesFor(lines.map(({ nick }) => nick))];
    this.#speakers = new Map(
      names.map(([nick, name], number) => {
        const url = urls[number % urls.length] ?? '';
        return [nick, new Speaker(name, { url, ...stage }, this.seats, known?.[nick])];
      }),
    );
  }

  get size() {
    return this.#speakers.size;
  }

  /** Those who have come in so far, by nick. */
  get identities(): Record<string, Identity> {
    return Object.fromEntries(
      [...this.#speakers].flatMap(([nick, { identity }]) => (identity ? [[nick, identity]] : [])),
    );
  }

  async perform(line: Line): Promise<Said | undefined> {
    return this.#speakers.get(line.nick)?.perform(line);
  }

  /** Lets it be seen that this line is being written. */
  async type(line: Line): Promise<void> {
    await this.#speakers.get(line.nick)?.type(line);
  }

  close() {
    this.seats.clear();
  }
}

/** What became of a line. */
export type Outcome = { said: Said | undefined } | { failed: Error };

/**
 * Performs the lines in the order of the file, `speed` times as fast as they were said, or as fast as can be.
 * Each speaker says the next line only when the last was acknowledged; between speakers the order is kept up
 * to the lines that are under way at the same time.
 */
export async function walk(
  crowd: Crowd,
  lines: readonly Line[],
  speed: number,
  done: (line: Line) => void,
): Promise<Outcome[]> {
  const due = timetable(lines);
  const began = performance.now();
  const outcomes: Outcome[] = [];
  const underWay = new Set<Promise<void>>();
  for (const [number, line] of lines.entries()) {
    const early = began + ((due[number] ?? 0) * 1_000) / speed - performance.now();
    if (early > 0) await sleep(early);
    if (underWay.size >= crowding.underWay) await Promise.race(underWay);
    const performing = outcomeOf(crowd.perform(line)).then((outcome) => {
      outcomes[number] = outcome;
      underWay.delete(performing);
      done(line);
    });
    underWay.add(performing);
  }
  await Promise.all(underWay);
  return outcomes;
}

export const outcomeOf = (performing: Promise<Said | undefined>): Promise<Outcome> =>
  performing.then(
    (said) => ({ said }),
    (failed: unknown) => ({ failed: asError(failed) }),
  );
