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
  /** What is missing: where to go, or as whom. */
  problem: BotError | undefined;
}

export function readOptions({
  url = process.env.PARLEY_URL ?? '',
  token = process.env.PARLEY_TOKEN ?? '',
  positions,
  log = (line) => console.error(line),
}: BotOptions): ReadOptions {
  const store = typeof positions === 'object' ? positions : inFile(positions);
  return { url, token, store, log, problem: problemOf(url, token) };
}

function problemOf(url: string, token: string): BotError | undefined {
  if (url === '') return new BotError('no_address', 'Parley’s address is missing.');
  if (!isWebAddress(url)) return new BotError('no_address', `${url} isn’t a web address.`);
  return token === '' ? new BotError('no_token', 'The bot has no token.', { url }) : undefined;
}

const isWebAddress = (url: string) =>
  URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
