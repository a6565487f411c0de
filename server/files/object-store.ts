/** Where finished files are kept when not in the database. Each is one object, named by its id, whole or not there. */
import type { ChatError } from '../../shared/failure.ts';
import { busy } from '../../shared/failure.ts';
import type { Logger } from '../node/log.ts';
import { StartupProblem } from '../startup.ts';
import type { Node } from '../caller.ts';
import { perNode } from '../node/per-node.ts';

export interface ObjectStore {
  /** Replaces what is there. Fails unless `bytes` are as many as `size`. */
  write(id: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** From `start` up to `end`. */
  read(id: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /** Does nothing where there is none. */
  remove(id: string): Promise<void>;
  /** Why it refuses what Parley has to do there; undefined if it does not, or does not answer. */
  problem(): Promise<string | undefined>;
}

/** The object store of a node, set when the node opens; undefined if its files stay in the database. */
export const objectsOf = perNode((_node: Node): ObjectStore | undefined => {
  throw new Error('The object store of this node isn’t open.');
});

/**
 * Its client is loaded only when it is configured. A store that does not answer stops no node: files stay in the
 * database meanwhile.
 * @throws StartupProblem if it answers, and refuses
 */
export async function openObjectStore(
  url: string | undefined,
  log: Logger,
): Promise<ObjectStore | undefined> {
  if (url === undefined) return undefined;
  const { openS3 } = await import('./s3.ts');
  const store = openS3(url, reporter(log));
  const problem = await store.problem();
  if (problem !== undefined) throw new StartupProblem(`PARLEY_FILES: ${problem}`);
  return store;
}

/** What its client tells of each answer. */
export interface Reporter {
  /** Returns what to throw where it does not answer, or refuses. */
  failed: (error: unknown, isRefusal: boolean) => ChatError;
  worked: () => void;
}

/** Files are moved again each second: so a trouble is told when it begins, and its end, but not in between. */
function reporter(log: Logger): Reporter {
  let told: string | undefined;
  return {
    failed(error, isRefusal) {
      const trouble = isRefusal
        ? 'the object store refuses: check the bucket of PARLEY_FILES and its keys; files stay where they are until then'
        : 'the object store doesn’t answer: files stay where they are until it does';
      if (told !== trouble) log.warn({ err: error }, trouble);
      told = trouble;
      return away();
    },
    worked() {
      if (told !== undefined) log.info('the object store works again');
      told = undefined;
    },
  };
}

const away = () => busy('The server can’t reach its files. Try again shortly.', 5_000);
