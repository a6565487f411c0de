/** How far a bot has come, kept where a restart finds it. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BotError } from './failures.ts';

export interface Position {
  /** Of the last message that was answered. */
  position: number;
  /** Of the timeline: what was edited and deleted up to here was told. */
  version: number;
}

export interface Positions {
  /** The life of the database that they belong to. */
  epoch: string;
  /** By timeline. */
  timelines: Record<string, Position>;
}

/** Where positions are kept: a file, unless the author says otherwise. */
export interface PositionStore {
  /** Nothing for a bot that starts for the first time. */
  load(botId: string): Promise<Positions | undefined>;
  save(botId: string, positions: Positions): Promise<void>;
}

/** How long after one saving the next begins, at the soonest. */
const pause = 50;

export function inFile(path?: string): PositionStore {
  const pathOf = (botId: string) => path ?? `.parley-${botId}.json`;
  return {
    async load(botId) {
      const text = await readFile(pathOf(botId), 'utf8').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      });
      return text === undefined ? undefined : (JSON.parse(text) as Positions);
    },
    async save(botId, positions) {
      // Whole or not at all, whenever the process is killed.
      const fresh = `${pathOf(botId)}.new`;
      await writeFile(fresh, JSON.stringify(positions));
      await rename(fresh, pathOf(botId));
    },
  };
}

/** Notes positions, and saves them soon after. */
export class Keeper {
  readonly #store: PositionStore;
  readonly #tell: (error: BotError) => void;
  #botId = '';
  #epoch = '';
  #timelines = new Map<string, Position>();
  #open = false;
  #dirty = false;
  #saving: Promise<void> | undefined;

  /** `tell` hears why something could not be saved. */
  constructor(store: PositionStore, tell: (error: BotError) => void) {
    this.#store = store;
    this.#tell = tell;
  }

  /** Says whether there are positions of this life of the database; if not, the bot begins anew. */
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

  of(timelineId: string): Position | undefined {
    return this.#timelines.get(timelineId);
  }

  /** From now on what is noted is saved: not before all timelines have one, or they were not those of one start. */
  open() {
    this.#open = true;
    this.#soon();
  }

  note(timelineId: string, position: Position) {
    this.#timelines.set(timelineId, position);
    this.#soon();
  }

  forget(timelineId: string) {
    this.#timelines.delete(timelineId);
    this.#soon();
  }

  /** All that was noted is saved. */
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
        this.#tell(trouble('can’t be saved', error));
      });
      await sleep(pause);
    }
  }

  get #positions(): Positions {
    return { epoch: this.#epoch, timelines: Object.fromEntries(this.#timelines) };
  }

  async #load(): Promise<Positions | undefined> {
    if (this.#open) return this.#positions;
    return this.#store.load(this.#botId).catch((error: unknown) => {
      throw trouble('can’t be read', error);
    });
  }
}

const trouble = (what: string, error: unknown) =>
  new BotError('positions', `The positions ${what}: ${(error as Error).message}.`);
