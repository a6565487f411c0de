import { wordsOf } from '../../shared/markdown/tree.ts';
import { parsed } from '../markdown/parsed.ts';
import { namesIn } from './names.ts';

/** The beginning of a message, without markup. */
export const excerptOf = (body: string, serverId: string | undefined): string =>
  wordsOf(parsed(body), namesIn(serverId)).slice(0, 300);
