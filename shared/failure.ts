/** The closed list of error codes, and whether the same request can be sent again as it is. */
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

/** Codes that any command can answer with. */
export const generalCodes = [
  'invalid',
  'unauthenticated',
  'rate_limited',
  'busy',
  'internal',
] as const;
/** Codes that a command answers with only if its contract lists them. */
export type SpecificCode = Exclude<FailureCode, (typeof generalCodes)[number]>;

export interface FailureDetail {
  field?: string | undefined;
  retryAfterMs?: number | undefined;
  requestId?: string | undefined;
  /** True if the same request can be sent again as it is. By default the code decides. */
  retryable?: boolean | undefined;
}

export interface Failure extends FailureDetail {
  code: FailureCode;
  message: string;
  retryable: boolean;
}

/** Thrown anywhere, and converted to a {@link Failure} when it is answered. The message is written for the user. */
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
/** The same answer for what does not exist and for what the caller must not know about, so that it reveals nothing. */
export const notFound = () =>
  new ChatError('not_found', 'This doesn’t exist, or you don’t have access to it.');
export const conflict = (message: string) => new ChatError('conflict', message);
/** Refuses because too much is under way. The client tries again after `retryAfterMs`. */
export const busy = (message: string, retryAfterMs: number) =>
  new ChatError('busy', message, { retryAfterMs });
