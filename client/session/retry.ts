import { ChatError } from '../../shared/failure.ts';
import { NoResponse } from '../sync/connection.ts';

/** Pause before a retry when the server gives none, in milliseconds. */
const pause = 1_000;

/** Returns the wait before a retry, in milliseconds. Undefined if a retry would not help, or not within a minute. */
export function retryAfterOf(error: unknown): number | undefined {
  if (error instanceof NoResponse) return pause;
  if (!(error instanceof ChatError)) return undefined;
  const { retryAfterMs = pause } = error.detail;
  const isBrief = retryAfterMs < 60_000;
  return isBrief && (error.code === 'rate_limited' || error.code === 'busy')
    ? retryAfterMs
    : undefined;
}
