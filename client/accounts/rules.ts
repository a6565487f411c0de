/** What the server will ask of a username, a password and a name. */
import { limits } from '../../shared/limits.ts';
import { length, lengthError, nameError, said, type FieldErrors } from '../forms/rules.ts';

export interface Registration {
  username: string;
  displayName: string;
  password: string;
}

export function usernameError(username: string): string | undefined {
  const name = username.normalize('NFKC').toLowerCase();
  if (name === '') return 'A username is needed.';
  if (!/^[a-z0-9._-]+$/.test(name)) return 'Use the letters a to z, digits, and . _ -';
  if (name.length < limits.usernameMin)
    return `At least ${limits.usernameMin} characters are needed.`;
  return lengthError(name, limits.username);
}

export function passwordError(password: string): string | undefined {
  const whole = password.normalize('NFC');
  const count = length(whole);
  if (count === 0) return 'A password is needed.';
  if (count < limits.passwordMin)
    return `${count} ${count === 1 ? 'character' : 'characters'}; at least ${limits.passwordMin} are needed. A sentence is better.`;
  return lengthError(whole, limits.password);
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
