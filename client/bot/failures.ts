/** Errors of a bot: one line with the cause, the place to fix it, and the address of the explanation. */
import type { Failure, FailureCode } from '../../shared/failure.ts';

/** Codes of the library itself, in addition to the server's. */
export const ownCodes = [
  'no_address',
  'no_token',
  'unreachable',
  'unsupported',
  'positions',
  'stopped',
] as const;

export type BotFailureCode = FailureCode | (typeof ownCodes)[number];

/** The address that explains a code: a heading of a page that every instance serves. */
const explained = (code: BotFailureCode, url: string | undefined) =>
  url === undefined ? `/docs/bots#${code} of your Parley` : new URL(`/docs/bots#${code}`, url).href;

type Detail = Pick<Failure, 'field' | 'requestId'> & { url?: string | undefined };

const remedies: Record<BotFailureCode, string> = {
  no_address: 'Set PARLEY_URL to the address people use to open Parley: its PUBLIC_URL.',
  no_token: 'Set PARLEY_TOKEN to a token from Parley’s settings, under Bots.',
  unreachable: 'Check PARLEY_URL, and that Parley is running there.',
  unsupported: 'Use the library of the Parley version that runs there.',
  positions: 'Let the bot write there, or name another place with `positions`.',
  stopped: 'Start it again to go on.',
  invalid: 'Correct what the bot sends.',
  unauthenticated: 'Then set PARLEY_TOKEN to it.',
  forbidden:
    'Its owner gives scopes with a new token, in the settings under Bots; the server’s owner gives roles.',
  not_found: 'A bot only sees the servers it was added to, in the settings under Bots.',
  conflict: 'Check the current state before trying again.',
  rate_limited: 'Wait before trying again.',
  busy: 'Try again in a moment.',
  internal: 'Ask the people who run this Parley to check its log.',
};

export class BotError extends Error {
  readonly code: BotFailureCode;
  /** The wrong field of the input, and the request's id in the server's log. */
  readonly field: string | undefined;
  readonly requestId: string | undefined;

  constructor(code: BotFailureCode, what: string, { field, requestId, url }: Detail = {}) {
    super(`${what} ${remedies[code]} (${explained(code, url)})`);
    this.name = 'BotError';
    this.code = code;
    this.field = field;
    this.requestId = requestId;
    // Node prints the stack of an uncaught error; lines within the library do not help.
    this.stack = `${this.name}: ${this.message}`;
  }
}

export function refused(command: string, failure: Failure, url: string): BotError {
  const field = failure.field === undefined ? '' : ` (${failure.field})`;
  const request = failure.code === 'internal' ? ` Request ${failure.requestId ?? ''}.` : '';
  return new BotError(failure.code, `${command}${field}: ${failure.message}${request}`, {
    ...failure,
    url,
  });
}

/** One line for anything thrown. For errors of the bot's own code it includes the place in that code. */
export function lineOf(error: unknown): string {
  if (error instanceof BotError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const [place = ''] = /\bat .*/.exec(error.stack ?? '') ?? [];
  return `${error.name}: ${error.message} ${place}`.trim().replaceAll(/\s*\n\s*/g, ' ');
}
