import { limits } from '../../shared/limits.ts';
import { length, lengthError, nameError, said, type FieldErrors } from '../forms/rules.ts';

export interface Registration {
  username: string;
  displayName: string;
  password: string;
}

export function usernameError(username: string): string | undefined {
  const name = folded(username);
  if (name === '') return 'Enter a username.';
  const misspelt = spellingError(username);
  if (!misspelt && name.length < limits.usernameMin)
    return `Use at least ${limits.usernameMin} characters.`;
  return misspelt;
}

/** Errors that further typing cannot fix, so they are shown at once. */
export function spellingError(username: string): string | undefined {
  const name = folded(username);
  if (!/^[a-z0-9._-]*$/.test(name))
    return 'Use only lowercase letters, numbers, and .\u00a0_\u00a0-';
  return lengthError(name, limits.username);
}

const folded = (username: string) => username.normalize('NFKC').toLowerCase();

export function passwordError(password: string): string | undefined {
  const whole = password.normalize('NFC');
  const count = length(whole);
  if (count === 0) return 'Enter a password.';
  if (count < limits.passwordMin)
    return `Too short: use at least ${limits.passwordMin} characters.`;
  return lengthError(whole, limits.password);
}

export function registrationErrors(form: Registration): FieldErrors<keyof Registration> {
  return said({
    username: usernameError(form.username),
    displayName: form.displayName.trim()
      ? nameError(form.displayName, 'a name', limits.displayName)
      : undefined,
    password: passwordError(form.password),
  });
}
