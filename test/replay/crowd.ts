import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandName, Input } from '../../shared/protocol.ts';
import type { ScriptLine } from './lines.ts';
import { namesFor } from './names.ts';
import type { ComparedMessage } from './said.ts';
import { asError } from './retry.ts';
import { SocketPool } from './socket-pool.ts';
import { Sender, type SenderIdentity, type ReplayStage } from './sender.ts';
import { timetable } from './timetable.ts';

/** Maximum number of open sockets, and of lines in flight. */
export const crowding = { sockets: 300, underWay: 100 };

export class ReplayCrowd {
  readonly pool: SocketPool;
  readonly #speakers: Map<string, Sender>;

  /** Spreads the speakers over the nodes in turn. Speakers in `known` keep their account. */
  constructor(
    lines: readonly ScriptLine[],
    urls: readonly string[],
    stage: Omit<ReplayStage, 'url'>,
    {
      sockets = crowding.sockets,
      known,
    }: { sockets?: number; known?: Record<string, SenderIdentity> } = {},
  ) {
    this.pool = new SocketPool(sockets);
    const names = [...namesFor(lines.map(({ nick }) => nick))];
    this.#speakers = new Map(
      names.map(([nick, name], number) => {
        const url = urls[number % urls.length] ?? '';
        return [nick, new Sender(name, { url, ...stage }, this.pool, known?.[nick])];
      }),
    );
  }

  get size() {
    return this.#speakers.size;
  }

  get identities(): Record<string, SenderIdentity> {
    return Object.fromEntries(
      [...this.#speakers].flatMap(([nick, { identity }]) => (identity ? [[nick, identity]] : [])),
    );
  }

  async perform(line: ScriptLine): Promise<ComparedMessage | undefined> {
    return this.#speakers.get(line.nick)?.perform(line);
  }

  async ask<C extends CommandName>(
    line: ScriptLine,
    command: C,
    inputAt: (timelineId: string) => Input<C>,
  ): Promise<void> {
    await this.#speakers.get(line.nick)?.ask(line, command, inputAt);
  }

  close() {
    this.pool.clear();
  }
}

export type LineOutcome = { said: ComparedMessage | undefined } | { failed: Error };

/**
 * Performs the lines in file order, `speed` times as fast as the original; `Infinity` does not wait. Each speaker waits
 * for the acknowledgment of the last line. Lines of different speakers that are in flight together can change order.
 */
export async function walkScript(
  crowd: ReplayCrowd,
  lines: readonly ScriptLine[],
  speed: number,
  done: (line: ScriptLine) => void,
): Promise<LineOutcome[]> {
  const due = timetable(lines);
  const began = performance.now();
  const outcomes: LineOutcome[] = [];
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

export const outcomeOf = (performing: Promise<ComparedMessage | undefined>): Promise<LineOutcome> =>
  performing.then(
    (said) => ({ said }),
    (failed: unknown) => ({ failed: asError(failed) }),
  );
