/** What a form can know before the server is asked, so that all errors show at once and the text is kept. */
import { limits } from '../../shared/limits.ts';

export interface Registration {
  username: string;
  displayName: string;
  password: string;
}

export type FieldErrors<F extends string = string> = Partial<Record<F, string>>;

const length = (text: string) => [...text].length;

export function usernameError(username: string): string | undefined {
  const name = username.normalize('NFKC').toLowerCase();
  if (name === '') return 'A username is needed.';
  if (!/^[a-z0-9._-]+$/.test(name)) return 'Use the letters a to z, digits, and . _ -';
  if (name.length < limits.usernameMin)
    return `At least ${limits.usernameMin} characters are needed.`;
  if (name.length > limits.username) return `At most ${limits.username} characters.`;
  return undefined;
}

export function passwordError(password: string): string | undefined {
  const count = length(password.normalize('NFC'));
  if (count === 0) return 'A password is needed.';
  if (count < limits.passwordMin)
    return `${count} ${count === 1 ? 'character' : 'characters'}; at least ${limits.passwordMin} are needed. A sentence is better.`;
  return count > limits.password ? `At most ${limits.password} characters.` : undefined;
}

export function nameError(name: string, what: string, most: number): string | undefined {
  if (name.trim() === '') return `${what} is needed.`;
  return length(name.trim().normalize('NFC')) > most ? `At most ${most} characters.` : undefined;
}

export function registrationErrors(form: Registration): FieldErrors<keyof Registration> {
  return said({
    username: usernameError(form.username),
    displayName: form.displayName.trim()
      ? nameError(form.displayName, 'A name', limits.displayName)
      : undefined,
    password: passwordError(form.password),
  });
}

/** Only the fields that are wrong. */
export const said = <F extends string>(errors: Record<F, string | undefined>): FieldErrors<F> =>
  Object.fromEntries(Object.entries(errors).filter(([, text]) => text)) as FieldErrors<F>;
