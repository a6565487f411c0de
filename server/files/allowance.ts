import { ChatError, conflict, forbidden, invalid } from '../../shared/failure.ts';
import { sizeText } from '../../shared/file-size.ts';
import type { PicturePurpose } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import type { Output } from '../../shared/protocol.ts';
import { isEstablished } from '../people/people.ts';
import type { Db } from '../database/database.ts';
import { networksOf } from '../http/address.ts';
import type { Caller, Context, Node } from '../caller.ts';
import {
  countForDay,
  deleteOverDays,
  findDays,
  giveBackForDay,
  type Counted,
} from './day-store.ts';
import { reserve, usedBytes } from './usage-store.ts';

export const megabyte = 1_000_000;

type Uploader = Context & Pick<Caller, 'user' | 'address'>;

export async function allowanceOf(caller: Uploader): Promise<Output<'file:allowance'>> {
  const { db } = caller;
  const { most, left, renewsAfter } = await leftToday(caller, db);
  const room = Math.min(await roomFor(caller, db, most), most);
  const renewsAt = renewsAfter && new Date(Date.now() + renewsAfter).toISOString();
  return { today: { most, left, ...(renewsAt && { renewsAt }) }, room };
}

/** Checks one file by itself. @throws ChatError forbidden, invalid */
export function requireSize({ config }: Node, size: number, purpose?: PicturePurpose): void {
  const { PARLEY_FILE_MB } = config;
  if (PARLEY_FILE_MB === 0) throw forbidden('Uploads are turned off on this server.');
  if (size > PARLEY_FILE_MB * megabyte)
    throw invalid(`Files can be up to ${PARLEY_FILE_MB} MB.`, 'size');
  if (purpose === 'emoji' && size > limits.emojiBytes)
    throw invalid(`An emoji can be up to ${Math.floor(limits.emojiBytes / 1_000)} kB.`, 'size');
  if (purpose !== undefined && size > limits.avatarBytes)
    throw invalid(`A picture can be up to ${limits.avatarBytes / megabyte} MB.`, 'size');
}

/**
 * Takes bytes from the daily allowance, in the transaction that makes room for them. A refusal rolls back and takes
 * nothing, so that a smaller file can still fit. Call it late, like `countForDay`.
 * @throws ChatError rate_limited, with what is left
 */
export async function requireDay(caller: Uploader, db: Db, bytes: number): Promise<void> {
  const asked = countedFor(caller, bytes);
  const counted = await countForDay(db, asked, dayLimit(caller.node));
  if (counted.size === asked.length) return;
  const charged = asked.filter(({ who }) => counted.has(who));
  throw tooMuch(await leftToday(caller, db, charged));
}

/** Gives the bytes of a cancelled upload that did not arrive back to the daily allowance. */
export const giveBack = (
  caller: Uploader,
  db: Db,
  { unsentBytes, begunAt }: { unsentBytes: number; begunAt: string },
): Promise<void> => giveBackForDay(db, countedFor(caller, unsentBytes), begunAt);

/** The same for a stalled upload, to its account only: the network that it came from is not stored. */
export const giveBackUnsent = (
  db: Db,
  {
    uploaderId,
    unsentBytes,
    begunAt,
  }: { uploaderId: string; unsentBytes: number; begunAt: string },
): Promise<void> => giveBackForDay(db, [{ who: uploaderId, bytes: unsentBytes }], begunAt);

export const sweepDays = ({ db }: Pick<Context, 'db'>): Promise<void> => deleteOverDays(db);

/** The part of the room that all accounts can fill. The rest is for established accounts. */
const forEveryone = 0.9;

/** Reserves nothing. @throws ChatError conflict, with what is left */
export async function requireRoom(caller: Uploader, db: Db, bytes: number): Promise<void> {
  const left = await roomFor(caller, db, bytes);
  if (bytes > left) throw noRoom(left);
}

/** Call it last, like `reserve`. @throws ChatError conflict, with what is left */
export async function reserveRoom(caller: Uploader, db: Db, bytes: number): Promise<void> {
  const maxBytes = storageLimit(caller.node);
  if (await reserve(db, bytes, maxBytes * forEveryone)) return;
  if ((await isEstablished(db, caller.user)) && (await reserve(db, bytes, maxBytes))) return;
  throw noRoom(await roomFor(caller, db));
}

const noRoom = (left: number) =>
  conflict(
    left === 0
      ? 'This server has no room for more files.'
      : `This server only has room for ${sizeText(left, 'en')} more.`,
  );

/** In bytes, for all files together. */
export const storageLimit = ({ config }: Pick<Node, 'config'>) =>
  config.PARLEY_FILES_GB * 1_000 * megabyte;

/** Returns the room left to the caller, or any value from `enough` up, which saves a query. */
async function roomFor({ node, user }: Uploader, db: Db, enough = Infinity): Promise<number> {
  const used = await usedBytes(db);
  const left = (part: number) => Math.max(0, storageLimit(node) * part - used);
  if (left(forEveryone) >= enough || !(await isEstablished(db, user))) return left(forEveryone);
  return left(1);
}

/** In bytes, for one person. */
const dayLimit = ({ config }: Node) =>
  Math.min(
    Math.round(config.PARLEY_FILE_DAY_MB * megabyte * config.PARLEY_RATE_SCALE),
    Number.MAX_SAFE_INTEGER,
  );

/** The guests of a network share an allowance, because anyone can create guests. In wider networks bytes count less. */
const countedFor = ({ user, address }: Uploader, bytes: number): Counted[] => [
  { who: user.id, bytes },
  ...(user.kind === 'guest'
    ? networksOf(address).map(({ name, room }) => ({ who: name, bytes: Math.ceil(bytes / room) }))
    : []),
];

interface Left {
  most: number;
  left: number;
  /** In milliseconds; undefined if nothing is counted yet. */
  renewsAfter: number | undefined;
}

/** The smaller of what is left to the caller and to their network. Does not count the bytes in `but`. */
async function leftToday(caller: Uploader, db: Db, but: readonly Counted[] = []): Promise<Left> {
  const most = dayLimit(caller.node);
  const rooms = new Map(networksOf(caller.address).map(({ name, room }) => [name, room]));
  const days = await findDays(
    db,
    countedFor(caller, 0).map(({ who }) => who),
  );
  const all = days.map(({ who, bytes, endsIn }) => {
    const back = but.find((one) => one.who === who)?.bytes ?? 0;
    const left = Math.max(0, most - bytes + back) * (rooms.get(who) ?? 1);
    return { most, left, renewsAfter: bytes > back ? endsIn : undefined };
  });
  const none: Left = { most, left: most, renewsAfter: undefined };
  return all.reduce((one, other) => (other.left < one.left ? other : one), none);
}

function tooMuch({ left, renewsAfter }: Left): ChatError {
  const message =
    left === 0
      ? 'That’s all you can upload for today. Try again tomorrow.'
      : `You can upload only ${sizeText(left, 'en')} more today.`;
  return new ChatError('rate_limited', message, { field: 'size', retryAfterMs: renewsAfter });
}
