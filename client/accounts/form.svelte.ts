/** What every form here does: check, send once, put each error where it belongs. */
import { ChatError } from '../../shared/failure.ts';
import { words } from '../words.ts';
import { FormError } from './auth.ts';
import type { FieldErrors } from './rules.ts';

export class Form<F extends string> {
  errors = $state.raw<FieldErrors<F>>({});
  failure = $state<string>();
  busy = $state(false);

  readonly #fields: readonly F[];

  constructor(...fields: F[]) {
    this.#fields = fields;
  }

  /** Runs `send` unless `errors` are known already. Answers whether it succeeded. */
  async submit(errors: FieldErrors<F>, send: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.failure = undefined;
    this.errors = errors;
    if (Object.keys(errors).length > 0) return false;
    this.busy = true;
    try {
      await send();
      return true;
    } catch (error) {
      this.#show(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  #show(error: unknown) {
    const told =
      error instanceof FormError
        ? error.fields
        : error instanceof ChatError && error.detail.field
          ? { [error.detail.field]: error.message }
          : {};
    const known = Object.entries(told).filter(([field]) => this.#fields.includes(field as F));
    this.errors = Object.fromEntries(known) as FieldErrors<F>;
    if (known.length === 0) this.failure = words(error);
  }
}

/** Moves focus to the first field that is wrong, once it is marked. */
export function focusFirstError(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
}
