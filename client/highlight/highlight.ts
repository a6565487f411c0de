/** Highlights code in a worker, which starts with the first code shown. */
import workerUrl from './worker.ts?worker&url';
import { trustedScript } from '../ui/trusted-script.ts';
import type { HighlightRequest, Piece, HighlightReply } from './pieces.ts';

/** Longer code stays plain, in characters. */
const longest = 20_000;
/** Code that takes longer stays plain, in milliseconds: it can be crafted to take long. */
const timeoutMs = 2_000;

let worker: Worker | undefined;
/** Runs while the worker highlights, but not while it loads, which takes long on a slow network. */
let timer: ReturnType<typeof setTimeout> | undefined;
let asked = 0;
const waiting = new Map<number, (pieces: Piece[] | undefined) => void>();

/** The pieces of the text in order; undefined if it stays plain. */
export function highlight(language: string, text: string): Promise<Piece[] | undefined> {
  if (language === '' || text.length > longest) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    asked += 1;
    waiting.set(asked, resolve);
    (worker ??= start()).postMessage({
      id: asked,
      language: language.toLowerCase(),
      text,
    } satisfies HighlightRequest);
  });
}

function start(): Worker {
  const started = new Worker(trustedScript(workerUrl), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<'reading' | HighlightReply>) => {
    clearTimeout(timer);
    if (data === 'reading') timer = setTimeout(giveUp, timeoutMs);
    else {
      waiting.get(data.id)?.(data.pieces);
      waiting.delete(data.id);
    }
  });
  started.addEventListener('error', giveUp);
  return started;
}

/** Terminates the worker: nothing else interrupts it. Waiting code stays plain. The next code starts a new worker. */
function giveUp(): void {
  worker?.terminate();
  worker = undefined;
  clearTimeout(timer);
  for (const resolve of waiting.values()) resolve(undefined);
  waiting.clear();
}
