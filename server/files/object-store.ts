/** The object store for finished files. Each file is one object, which is complete or absent. */
import type { ChatError } from '../../shared/failure.ts';
import { busy } from '../../shared/failure.ts';
import type { Logger } from '../node/log.ts';
import { StartupProblem } from '../startup.ts';
import type { Node } from '../caller.ts';
import { perNode } from '../node/per-node.ts';

export interface ObjectStore {
  /** Replaces an existing object. Fails unless there are exactly `size` bytes, and when `stop` is aborted. */
  write(
    object: string,
    size: number,
    bytes: AsyncIterable<Uint8Array>,
    stop?: AbortSignal,
  ): Promise<void>;
  /**
   * Reads the bytes from `start` up to, but not including, `end`.
   * @throws MissingObject
   */
  read(object: string, start: number, end: number, stop?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Does nothing if there is no object. */
  remove(object: string): Promise<void>;
  /** Returns why the store refuses access; undefined if it grants it, or does not answer. */
  problem(): Promise<string | undefined>;
}

/** In bytes. Larger objects are written in parts of this size. */
export const partBytes = 8_000_000;

/** A file is in the store according to its row, but its object, or the end of it, is not there. */
export class MissingObject extends Error {}

/** The object store of a node, set when the node opens; undefined if its files stay in the database. */
export const objectsOf = perNode((_node: Node): ObjectStore | undefined => {
  throw new Error('The object store of this node hasn’t been opened.');
});

/** A store that does not answer stops no node: files stay in the database. @throws StartupProblem if it refuses */
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

export interface Reporter {
  /** Returns the error to throw when the store does not answer, or refuses. */
  failed: (error: unknown, isRefusal: boolean) => ChatError;
  worked: () => void;
}

/** Logs only the beginning and the end of a problem, because moves are tried each second. */
function reporter(log: Logger): Reporter {
  let logged: string | undefined;
  return {
    failed(error, isRefusal) {
      const trouble = isRefusal
        ? 'the object store refused access: check the bucket in PARLEY_FILES and its keys; files aren’t moved until then'
        : 'the object store doesn’t respond: files aren’t moved until it does';
      if (logged !== trouble) log.warn({ err: error }, trouble);
      logged = trouble;
      return away();
    },
    worked() {
      if (logged !== undefined) log.info('the object store is available again');
      logged = undefined;
    },
  };
}

const away = () => busy('The server can’t reach its files. Try again shortly.', 5_000);
