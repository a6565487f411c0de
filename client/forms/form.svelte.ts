/** The state of a form: validates, sends once, and shows each error at its field. */
import { ChatError, type Failure } from '../../shared/failure.ts';
import { errorText } from '../ui/error-text.ts';
import type { FieldErrors } from './rules.ts';

export class Form<F extends string> {
  errors = $state.raw<FieldErrors<F>>({});
  failure = $state<string>();
  busy = $state(false);
  done = $state(false);

  readonly #fields: readonly F[];

  constructor(...fields: F[]) {
    this.#fields = fields;
  }

  /** Runs `send` unless there are `errors`. Returns whether it succeeded. */
  async submit(errors: FieldErrors<F>, send: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.failure = undefined;
    this.done = false;
    this.errors = errors;
    if (Object.keys(errors).length > 0) return false;
    this.busy = true;
    try {
      await send();
      this.done = true;
      return true;
    } catch (error) {
      this.#show(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  reset() {
    this.errors = {};
    this.failure = undefined;
    this.done = false;
  }

  forget(field: F) {
    const remaining = Object.entries(this.errors).filter(([other]) => other !== field);
    this.errors = Object.fromEntries(remaining) as FieldErrors<F>;
  }

  #show(error: unknown) {
    const errors =
      error instanceof FormError
        ? error.fields
        : error instanceof ChatError && error.detail.field
          ? { [error.detail.field]: error.message }
          : {};
    const known = Object.entries(errors).filter(([field]) => this.#fields.includes(field as F));
    this.errors = Object.fromEntries(known) as FieldErrors<F>;
    if (known.length === 0) this.failure = errorText(error);
  }
}

/** An error with all invalid fields, so that all of them show at once. */
export class FormError extends ChatError {
  readonly fields: Readonly<Record<string, string>>;

  constructor({ code, message, field, retryAfterMs, requestId, fields }: FormFailure) {
    super(code, message, { field, retryAfterMs, requestId });
    this.fields = fields ?? (field ? { [field]: message } : {});
  }
}

export type FormFailure = Failure & { fields?: Record<string, string> };
