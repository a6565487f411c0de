/** The user who is signed in on this device, for the next start and for other tabs. */
import { load, remove, save } from './storage.ts';

const key = 'inside';

export const signedInAs = (): unknown => load(key);

export function saveSignedInAs(userId: string): void {
  save(key, userId);
}

export function forgetSignedIn(): void {
  remove(key);
}
