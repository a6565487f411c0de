/** Limits before sign-in. Attackers slow down only their own network, not the attacked account or people elsewhere. */
import type { RateName, StrangerRate } from '../../shared/limits.ts';
import { giveBackForNetworks, networksOf, takeForNetworks } from '../http/address.ts';
import type { Node } from '../caller.ts';
import type { Turn } from './password.ts';

type Limiting = Pick<Node, 'limits'>;

/** @throws ChatError rate_limited */
export async function takeVisit(
  node: Limiting,
  address: string,
  perAddress: StrangerRate,
  overall: StrangerRate,
): Promise<Turn> {
  await takeForNetworks(node, perAddress, address);
  const turn = await turnOf(node, address);
  // Quiet networks have a separate overall limit, so that busy ones cannot use it up.
  await node.limits.take(turn === 'quiet' ? 'quietOverall' : overall, 'all');
  return turn;
}

/** Looks do not make a network busy, because clients send many while a name is typed. @throws ChatError rate_limited */
export async function takeLook(node: Limiting, address: string): Promise<void> {
  await takeForNetworks(node, 'usernamePerAddress', address);
  await node.limits.take('usernameOverall', 'all');
}

/** Returns `quiet` for a network that sent few requests: its passwords are hashed before those of others. */
export async function turnOf(node: Limiting, address: string): Promise<Turn> {
  for (const network of networksOf(address))
    if (!(await node.limits.tryTake('quietPerAddress', network))) return 'busy';
  return 'quiet';
}

/**
 * Gives back the count of `turnOf` after a correct password, so that fifty people of an office who sign in at nine do
 * not make their network busy. The limit of sign-ins per address still counts them.
 */
export const staysQuiet = (node: Limiting, address: string): Promise<void> =>
  giveBackForNetworks(node, 'quietPerAddress', address);

/** The extra points that a wrong password costs its network. A correct one costs none. */
const moreForWrong = 2;

/**
 * Counts a wrong password from this address, because comparing one takes as much processor time as hundreds of
 * messages. Few people are wrong more than three times.
 */
export async function noteWrong(node: Limiting, address: string): Promise<void> {
  await Promise.all(
    networksOf(address).map((network) =>
      node.limits.tryTake('quietPerAddress', network, moreForWrong),
    ),
  );
}

/** The limits of wrong passwords, from the shortest period to the longest. */
const waits = [
  'wrongPassword',
  'wrongPasswordAgain',
  'wrongPasswordOften',
  'wrongPasswordAlways',
] as const;

/**
 * Counts a guess before it is compared, so that simultaneous guesses count too. Names without an account count alike.
 * `takeBack` gives the count back, for a correct password. `isSlow`: after many wrong guesses from all addresses, the
 * guess waits as if from a busy network.
 * @throws ChatError rate_limited
 */
export async function takeGuess(
  node: Limiting,
  account: string,
  address: string,
): Promise<{ isSlow: boolean; takeBack: () => Promise<void> }> {
  await takeWaits(node, account, address);
  // While an account is attacked from many networks, each network has only a few guesses left. A thousand networks do
  // not allow a thousand times as many, and the owner, from a network without guesses, is never shut out.
  const [isAmongFew, isAmongMany] = await Promise.all([
    node.limits.tryTake('wrongPasswordSlow', account),
    node.limits.tryTake('wrongPasswordOverall', account),
  ]);
  const isAttacked = !isAmongMany;
  if (isAttacked) await takeForNetworks(node, 'wrongPasswordLate', address, account);
  const names: RateName[] = isAttacked ? [...waits, 'wrongPasswordLate'] : [...waits];
  const takeBack = async () => {
    await Promise.all([
      node.limits.giveBack('wrongPasswordSlow', account),
      node.limits.giveBack('wrongPasswordOverall', account),
      ...names.map((name) => giveBackForNetworks(node, name, address, account)),
    ]);
  };
  return { isSlow: !isAmongFew, takeBack };
}

/**
 * False after too many wrong passwords from known devices: the attempt then counts as a stranger's. Otherwise one
 * account could fill the hash queue, which serves known devices first, because it can create any number of them.
 */
export async function takeKnown(
  node: Limiting,
  account: string,
  address: string,
): Promise<boolean> {
  if (!(await node.limits.tryTake('wrongOnDevices', account))) return false;
  for (const network of networksOf(address))
    if (!(await node.limits.tryTake('wrongOnDevicesPerAddress', network))) return false;
  return true;
}

/** With `device`, also gives back the count of that device, because no password was compared. */
export async function giveBackKnown(
  node: Limiting,
  account: string,
  { address, device }: { address: string; device?: { id: string } },
): Promise<void> {
  if (device) await node.limits.giveBack('loginPerDevice', `${device.id} ${account}`);
  await node.limits.giveBack('wrongOnDevices', account);
  await giveBackForNetworks(node, 'wrongOnDevicesPerAddress', address);
}

/** In parallel, because a person waits. If one limit refuses, the others are given back. */
async function takeWaits(node: Limiting, account: string, address: string): Promise<void> {
  const taken = await Promise.allSettled(
    waits.map((name) => takeForNetworks(node, name, address, account)),
  );
  const refusal = taken.find((one) => one.status === 'rejected');
  if (refusal === undefined) return;
  await Promise.all(
    waits
      .filter((_, i) => taken[i]?.status === 'fulfilled')
      .map((name) => giveBackForNetworks(node, name, address, account)),
  );
  throw refusal.reason;
}
