/** Validation in the client, so that all errors show at once and the input is kept. */
export type FieldErrors<F extends string = string> = Partial<Record<F, string>>;

/** In characters, as the server counts them. */
export const length = (text: string): number => [...text].length;

export const nameError = (name: string, what: string, maxLength: number): string | undefined =>
  name.trim() === '' ? `Enter ${what}.` : lengthError(name.trim().normalize('NFC'), maxLength);

export const lengthError = (text: string, maxLength: number): string | undefined =>
  length(text) > maxLength ? `Use at most ${maxLength} characters.` : undefined;

export const said = <F extends string>(errors: Record<F, string | undefined>): FieldErrors<F> =>
  Object.fromEntries(Object.entries(errors).filter(([, text]) => text)) as FieldErrors<F>;
