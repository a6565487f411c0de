/** The closed list of error codes, and whether the same request may be tried again as it is. */
export const failures = {
  invalid: { retryable: false, status: 400 },
  unauthenticated: { retryable: false, status: 401 },
  forbidden: { retryable: false, status: 403 },
  not_found: { retryable: false, status: 404 },
  conflict: { retryable: false, status: 409 },
  rate_limited: { retryable: true, status: 429 },
  busy: { retryable: true, status: 503 },
  internal: { retryable: false, status: 500 },
} as const;

export type FailureCode = keyof typeof failures;

/** What any command may be refused with, whatever it is about. */
export const generalCodes = [
  'invalid',
  'unauthenticated',
  'rate_limited',
  'busy',
  'internal',
] as const;
/** What depends on the command: each says which of them it may be refused with. */
export type SpecificCode = Exclude<FailureCode, (typeof generalCodes)[number]>;

/** What may be said beside a code: the input's field that is wrong, or when to try again. */
export interface FailureDetail {
  field?: string | undefined;
  retryAfterMs?: number | undefined;
  requestId?: string | undefined;
  /** Whether the same may be tried again as it is: by its code, where nothing else is said. */
  retryable?: boolean | undefined;
}

/** A failure as it travels, in an ack and in an HTTP reply alike. */
export interface Failure extends FailureDetail {
  code: FailureCode;
  message: string;
  retryable: boolean;
}

/** Thrown anywhere; turned into a {@link Failure} at the door. Its message is written for the person who asked. */
export class ChatError extends Error {
  readonly code: FailureCode;
  readonly detail: FailureDetail;

  constructor(code: FailureCode, message: string, detail: FailureDetail = {}) {
    super(message);
    this.name = 'ChatError';
    this.code = code;
    this.detail = detail;
  }
}

export const failureOf = ({ code, message, detail }: ChatError): Failure => ({
  code,
  message,
  ...detail,
  retryable: failures[code].retryable,
});

export const invalid = (message: string, field?: string) =>
  new ChatError('invalid', message, { field });
export const forbidden = (message: string) => new ChatError('forbidden', message);
/** The one answer for what is not there and for what the caller may not know of: the same to the letter. */
export const notFound = () =>
  new ChatError('not_found', 'This doesn’t exist, or you don’t have access to it.');
export const conflict = (message: string) => new ChatError('conflict', message);
/** Too much is under way: the client tries again after so many milliseconds. */
export const busy = (message: string, retryAfterMs: number) =>
  new ChatError('busy', message, { retryAfterMs });
