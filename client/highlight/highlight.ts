/** Has code read by the worker, which is started when the first code is seen. */
import workerUrl from './worker.ts?worker&url';
import type { HighlightRequest, Piece, HighlightReply } from './pieces.ts';

/** Longer code stays plain, in characters. */
const longest = 20_000;
/** Code that takes longer to read, in milliseconds, stays plain: somebody wrote it to take long. */
const patienceMs = 2_000;

interface Waiting {
  resolve: (pieces: Piece[] | undefined) => void;
  timer: ReturnType<typeof setTimeout>;
}

let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, Waiting>();

/** The pieces of a text in their order; undefined where it stays plain. */
export function highlight(language: string, text: string): Promise<Piece[] | undefined> {
  if (language === '' || text.length > longest) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    asked += 1;
    const id = asked;
    waiting.set(id, { resolve, timer: setTimeout(giveUp, patienceMs) });
    (worker ??= start()).postMessage({
      id,
      language: language.toLowerCase(),
      text,
    } satisfies HighlightRequest);
  });
}

function start(): Worker {
  const started = new Worker(trusted(workerUrl), { type: 'module' });
  started.addEventListener('message', ({ data: { id, pieces } }: MessageEvent<HighlightReply>) => {
    const one = waiting.get(id);
    waiting.delete(id);
    clearTimeout(one?.timer);
    one?.resolve(pieces);
  });
  started.addEventListener('error', giveUp);
  return started;
}

/** The content security policy lets this policy alone name scripts, and it names this one. */
const trusted = (url: string): string => {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = (policies ??= trustedTypes?.createPolicy('parley-worker', {
    createScriptURL: () => url,
  }));
  return policy ? policy.createScriptURL(url) : url;
};
let policies: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** As far as we use it: a `TrustedScriptURL` stands where a string does. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** What hangs cannot be asked to stop: the worker ends, all that waits stays plain, and the next code starts another. */
function giveUp(): void {
  worker?.terminate();
  worker = undefined;
  for (const { resolve, timer } of waiting.values()) {
    clearTimeout(timer);
    resolve(undefined);
  }
  waiting.clear();
}
