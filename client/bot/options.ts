import { BotError } from './failures.ts';
import { inFile, type PositionStore } from './positions.ts';

export interface BotOptions {
  /** The address of the instance; `PARLEY_URL` by default. */
  url?: string;
  /** The bot’s token; `PARLEY_TOKEN` by default. */
  token?: string;
  /** Where the bot saves its positions: a file’s path, or a store. `.parley-<bot’s id>.json` by default. */
  positions?: string | PositionStore;
  /** Receives messages for people, line by line; stderr by default. */
  log?: (line: string) => void;
}

export interface ReadOptions {
  url: string;
  token: string;
  store: PositionStore;
  log: (line: string) => void;
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
