import { ChatError } from '../../shared/failure.ts';
import { NoResponse } from '../sync/connection.ts';

/** Pause before a retry when the server gives none. */
const usualPauseMs = 1_000;

/** Returns the wait before a retry, in milliseconds. Undefined if a retry would not help, or not within a minute. */
export function retryAfterOf(error: unknown): number | undefined {
  if (error instanceof NoResponse) return usualPauseMs;
  if (!(error instanceof ChatError)) return undefined;
  const { retryAfterMs = usualPauseMs } = error.detail;
  const isBrief = retryAfterMs < 60_000;
  return isBrief && (error.code === 'rate_limited' || error.code === 'busy')
    ? retryAfterMs
    : undefined;
}

/** Rejects with the reason when `stopped` aborts. */
export async function pause(ms: number, stopped: AbortSignal): Promise<void> {
  stopped.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stopped.addEventListener('abort', done);
  });
  stopped.throwIfAborted();
}
