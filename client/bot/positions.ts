/** A bot's saved positions, from which it continues after a restart. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BotError } from './failures.ts';

export interface BotPosition {
  /** The position of the last message that was handled. */
  position: number;
  /** The version of the timeline up to which edits and deletions were passed to listeners. */
  version: number;
}

export interface BotPositions {
  epoch: string;
  timelines: Record<string, BotPosition>;
}

export interface PositionStore {
  /** Undefined for a bot that starts for the first time. */
  load(botId: string): Promise<BotPositions | undefined>;
  save(botId: string, positions: BotPositions): Promise<void>;
}

/** The minimum time between two saves, in milliseconds. */
const saveDelayMs = 50;

export function inFile(path?: string): PositionStore {
  const pathOf = (botId: string) => path ?? `.parley-${botId}.json`;
  return {
    async load(botId) {
      const text = await readFile(pathOf(botId), 'utf8').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      });
      return text === undefined ? undefined : (JSON.parse(text) as BotPositions);
    },
    async save(botId, positions) {
      // Atomic: a killed process leaves the old file or the new one, never a part.
      const fresh = `${pathOf(botId)}.new`;
      await writeFile(fresh, JSON.stringify(positions));
      await rename(fresh, pathOf(botId));
    },
  };
}

export class PositionKeeper {
  readonly #store: PositionStore;
  readonly #report: (error: BotError) => void;
  #botId = '';
  #epoch = '';
  #timelines = new Map<string, BotPosition>();
  #open = false;
  #dirty = false;
  #saving: Promise<void> | undefined;

  /** `report` receives the error if saving fails. */
  constructor(store: PositionStore, report: (error: BotError) => void) {
    this.#store = store;
    this.#report = report;
  }

  /** Loads the positions. Returns whether they belong to this epoch; if not, the bot begins with new messages. */
  async begin(botId: string, epoch: string): Promise<'goes on' | 'begins' | 'begins anew'> {
    this.#botId = botId;
    const known = await this.#load();
    this.#epoch = epoch;
    this.#timelines = new Map(known?.epoch === epoch ? Object.entries(known.timelines) : []);
    if (known === undefined) return 'begins';
    return known.epoch === epoch ? 'goes on' : 'begins anew';
  }

  get epoch() {
    return this.#epoch;
  }

  of(timelineId: string): BotPosition | undefined {
    return this.#timelines.get(timelineId);
  }

  /** Starts saving, once all timelines have a position. Before that, a restart would find only some of them. */
  open() {
    this.#open = true;
    this.#soon();
  }

  note(timelineId: string, position: BotPosition) {
    this.#timelines.set(timelineId, position);
    this.#soon();
  }

  forget(timelineId: string) {
    this.#timelines.delete(timelineId);
    this.#soon();
  }

  async flush(): Promise<void> {
    while (this.#saving) await this.#saving;
  }

  #soon() {
    this.#dirty = true;
    if (this.#open) this.#saving ??= this.#save().finally(() => (this.#saving = undefined));
  }

  async #save(): Promise<void> {
    while (this.#dirty) {
      this.#dirty = false;
      await this.#store.save(this.#botId, this.#positions).catch((error: unknown) => {
        this.#report(trouble('can’t be saved', error));
      });
      await sleep(saveDelayMs);
    }
  }

  get #positions(): BotPositions {
    return { epoch: this.#epoch, timelines: Object.fromEntries(this.#timelines) };
  }

  async #load(): Promise<BotPositions | undefined> {
    if (this.#open) return this.#positions;
    return this.#store.load(this.#botId).catch((error: unknown) => {
      throw trouble('can’t be read', error);
    });
  }
}

const trouble = (what: string, error: unknown) =>
  new BotError('positions', `The positions ${what}: ${(error as Error).message}.`);
