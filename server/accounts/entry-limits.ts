/**
 * How fast strangers may sign in, register and visit. Whoever misbehaves slows down their own network, and
 * nobody else: not the account they try, and not strangers elsewhere.
 */
import type { RateName, StrangerRate } from '../../shared/limits.ts';
import { networksOf } from '../http/address.ts';
import type { App } from '../app.ts';
import type { Turn } from './password.ts';

type Limiting = Pick<App, 'limits'>;

/**
 * Counts a visit to one of the endpoints for signing in, by a stranger.
 * @throws ChatError rate_limited
 */
export async function takeVisit(
  app: Limiting,
  address: string,
  perAddress: StrangerRate,
  overall: StrangerRate,
): Promise<Turn> {
  await takeForNetworks(app, perAddress, address);
  const turn = await turnOf(app, address);
  // When everything is used up, those wait who used it: a network that has been quiet still gets in.
  await app.limits.take(turn === 'quiet' ? 'quietOverall' : overall, 'all');
  return turn;
}

/**
 * Counts a look whether a username is free. It costs nobody their place before the password hashing: many are asked
 * while one name is typed.
 * @throws ChatError rate_limited
 */
export async function takeLook(app: Limiting, address: string): Promise<void> {
  await takeForNetworks(app, 'usernamePerAddress', address);
  await app.limits.take('usernameOverall', 'all');
}

/** How long what comes from this address waits to have a password hashed: who asked little is served first. */
export async function turnOf(app: Limiting, address: string): Promise<Turn> {
  for (const network of networksOf(address))
    if (!(await app.limits.tryTake('quietPerAddress', network))) return 'busy';
  return 'quiet';
}

/**
 * Takes back what `turnOf` counted for who was quiet, and had the right password: an office where fifty people sign in
 * at nine is no network that guesses. How many may come from there at all is counted as before.
 */
export const staysQuiet = (app: Limiting, address: string): Promise<void> =>
  giveBackForNetworks(app, 'quietPerAddress', address);

/** A wrong password counts so much more than a right one, of which nothing counts. */
const moreForWrong = 2;

/**
 * Counts that a password from this address was wrong: comparing takes a processor for as long as hundreds of messages,
 * and few people are wrong more than three times.
 */
export async function noteWrong(app: Limiting, address: string): Promise<void> {
  await Promise.all(
    networksOf(address).map((network) =>
      app.limits.tryTake('quietPerAddress', network, moreForWrong),
    ),
  );
}

/** From the shortest wait to the longest. */
const waits = [
  'wrongPassword',
  'wrongPasswordAgain',
  'wrongPasswordOften',
  'wrongPasswordAlways',
] as const;

/**
 * Counts a guess at an account's password, from this address, before it is compared: many at once are not
 * more. It is the same for names that do not exist. Returns how to take it back, for one that was right, and
 * whether so many were wrong, from everywhere, that it has to wait as from a busy network.
 * @throws ChatError rate_limited
 */
export async function takeGuess(
  app: Limiting,
  account: string,
  address: string,
): Promise<{ isSlow: boolean; takeBack: () => Promise<void> }> {
  for (const name of waits) await takeForNetworks(app, name, address, account);
  // Guesses from everywhere leave each network a few: whoever tries from a thousand has no thousand times as
  // many, and whoever comes from a network that has not tried is never shut out.
  const [isAmongFew, isAmongMany] = await Promise.all([
    app.limits.tryTake('wrongPasswordSlow', account),
    app.limits.tryTake('wrongPasswordOverall', account),
  ]);
  const isAttacked = !isAmongMany;
  if (isAttacked) await takeForNetworks(app, 'wrongPasswordLate', address, account);
  const names: RateName[] = isAttacked ? [...waits, 'wrongPasswordLate'] : [...waits];
  const takeBack = async () => {
    // At once: whoever gave the right password waits for it.
    await Promise.all([
      app.limits.giveBack('wrongPasswordSlow', account),
      app.limits.giveBack('wrongPasswordOverall', account),
      ...names.map((name) => giveBackForNetworks(app, name, address, account)),
    ]);
  };
  return { isSlow: !isAmongFew, takeBack };
}

/** The narrowest first, so that who is stopped there does not use up what the wider ones have. */
export async function takeForNetworks(
  app: Limiting,
  name: RateName,
  address: string,
  account?: string,
): Promise<void> {
  for (const network of networksOf(address, account)) await app.limits.take(name, network);
}

/** Takes back what was counted by `takeForNetworks`. */
export async function giveBackForNetworks(
  app: Limiting,
  name: RateName,
  address: string,
  account?: string,
): Promise<void> {
  await Promise.all(
    networksOf(address, account).map((network) => app.limits.giveBack(name, network)),
  );
}
