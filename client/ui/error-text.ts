/** Error texts for users: the cause, then the remedy. */
import { ChatError, type FailureCode } from '../../shared/failure.ts';
import { NoResponse } from '../sync/connection.ts';

/** Texts for codes where the server's message adds nothing to the code. */
const texts: Partial<Record<FailureCode, (error: ChatError) => string>> = {
  rate_limited: ({ message, detail: { retryAfterMs = 1_000 } }) =>
    isLong(retryAfterMs) ? message : `You’re going too fast. Try again ${inSeconds(retryAfterMs)}.`,
  busy: () => 'The server is busy. Try again in a moment.',
  internal: ({ detail }) => `The server hit an error. Try again.${reference(detail.requestId)}`,
};

/** Too long to wait for: show the server's message, which offers an alternative. */
export const isLong = (milliseconds: number): boolean => milliseconds > 3_600_000;

export function errorText(error: unknown): string {
  if (error instanceof ChatError) return texts[error.code]?.(error) ?? error.message;
  if (error instanceof NoResponse) return `${error.message} Try again.`;
  return 'Something in this page broke. Reload and try again.';
}

const reference = (requestId: string | undefined) => (requestId ? ` Reference ${requestId}.` : '');

export function inSeconds(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000));
  if (seconds < 90) return `in ${seconds} s`;
  return `in ${Math.ceil(seconds / 60)} min`;
}
