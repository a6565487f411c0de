/** Validation in the client, so that all errors show at once and the input is kept. */
export type FieldErrors<F extends string = string> = Partial<Record<F, string>>;

/** In characters, as the server counts them. */
export const length = (text: string): number => [...text].length;

export const nameError = (name: string, what: string, most: number): string | undefined =>
  name.trim() === '' ? `Enter ${what}.` : lengthError(name.trim().normalize('NFC'), most);

export const lengthError = (text: string, most: number): string | undefined =>
  length(text) > most ? `Use at most ${most} characters.` : undefined;

export const said = <F extends string>(errors: Record<F, string | undefined>): FieldErrors<F> =>
  Object.fromEntries(Object.entries(errors).filter(([, text]) => text)) as FieldErrors<F>;
