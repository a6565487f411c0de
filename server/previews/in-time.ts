/** Rejects after `ms`, or when `stop` is aborted. Aborts the signal of the work, which should then end. */
export async function inTime<T>(
  stop: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  stop.throwIfAborted();
  const ending = new AbortController();
  const end = () => {
    ending.abort();
  };
  // Not `AbortSignal.timeout`, because Node can collect one that only `AbortSignal.any` refers to.
  const timer = setTimeout(end, ms);
  stop.addEventListener('abort', end);
  const ended = new Promise<never>((_resolve, reject) => {
    ending.signal.addEventListener('abort', () => {
      reject(new Error('The work was ended.'));
    });
  });
  try {
    return await Promise.race([work(ending.signal), ended]);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', end);
  }
}
