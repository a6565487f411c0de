import { BotError } from './failures.ts';
import { inFile, type PositionStore } from './positions.ts';

export interface BotOptions {
  /** Where Parley is; `PARLEY_URL`, if not given. */
  url?: string;
  /** The bot’s token; `PARLEY_TOKEN`, if not given. */
  token?: string;
  /** Where it is kept how far the bot has come: a file’s path, or a store. `.parley-<bot’s id>.json`, if not given. */
  positions?: string | PositionStore;
  /** Hears what a person may want to know, line by line; stderr, if not given. */
  log?: (line: string) => void;
}

export interface ReadOptions {
  url: string;
  token: string;
  store: PositionStore;
  log: (line: string) => void;
}

/** @throws BotError if it is not said where to go, or as whom */
export function readOptions({
  url = process.env.PARLEY_URL ?? '',
  token = process.env.PARLEY_TOKEN ?? '',
  positions,
  log = (line) => console.error(line),
}: BotOptions): ReadOptions {
  if (url === '') throw new BotError('no_address', 'It is not said where Parley is.');
  if (!isWebAddress(url)) throw new BotError('no_address', `${url} is not a web address.`);
  if (token === '') throw new BotError('no_token', 'The bot has no token.');
  const store = typeof positions === 'object' ? positions : inFile(positions);
  return { url, token, store, log };
}

const isWebAddress = (url: string) =>
  URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
