import type { Channel } from '../../shared/channels.ts';
import type { Role } from '../../shared/permissions.ts';
import { asEmoji, custom, isCustom } from '../emoji/custom.svelte.ts';
import { allEmoji } from '../emoji/emoji.svelte.ts';
import { emojiHabits } from '../emoji/habits.ts';
import type { EmojiEntry } from '../emoji/search.ts';
import { emojiSought } from '../emoji/sought.ts';
import { inTone } from '../emoji/tones.ts';
import type { ChosenNames, Somebody } from '../mentions/spelling.ts';
import {
  soughtAt,
  suggest,
  suggestChannels,
  type MentionCandidate,
  type PersonMatch,
} from '../mentions/suggest.ts';

export interface Mentionable extends Somebody {
  role?: Role;
}

export type Option =
  | { kind: 'person'; key: string; person: MentionCandidate & Mentionable }
  | { kind: 'call'; key: string; text: string; about: string }
  | { kind: 'channel'; key: string; channel: Channel }
  | { kind: 'emoji'; key: string; emoji: EmojiEntry; sign: string };

export interface Writing {
  /** The server, which can have its own emoji; undefined in a conversation. */
  serverId: string | undefined;
  audience: readonly Mentionable[];
  canCall: boolean;
  channels: readonly Channel[];
  /** User ids, most recent author first. */
  speakers: readonly string[];
  named: ChosenNames;
  onname: (named: ChosenNames) => void;
}

export type Sought = PersonMatch & { kind: 'person' | 'channel' | 'emoji' };

const maxEmoji = 8;

const calls = [
  { kind: 'call', key: 'everyone', text: '@everyone', about: 'Notify everyone here' },
  { kind: 'call', key: 'here', text: '@here', about: 'Notify everyone who’s online' },
] as const;

export function soughtIn(
  text: string,
  caret: number,
  writing: () => Pick<Writing, 'channels'>,
): Sought | undefined {
  const person = soughtAt(text, caret);
  if (person) return { ...person, kind: 'person' };
  const channel = soughtAt(text, caret, '#');
  if (channel && writing().channels.length > 0) return { ...channel, kind: 'channel' };
  const emoji = emojiSought(text, caret);
  if (!emoji) return undefined;
  // A failure to load means no suggestions; the picker shows the error.
  void allEmoji.load().catch(() => undefined);
  return { ...emoji, kind: 'emoji' };
}

export function peopleFor(
  letters: string,
  people: readonly (MentionCandidate & Mentionable)[],
  { speakers, canCall }: Pick<Writing, 'speakers' | 'canCall'>,
): Option[] {
  const wanted = letters.toLowerCase();
  return [
    ...suggest(people, letters, speakers).map((person): Option => ({
      ...{ kind: 'person', key: person.userId, person },
    })),
    ...calls.filter(({ key }) => canCall && key.startsWith(wanted)),
  ];
}

export const channelsFor = (letters: string, channels: readonly Channel[]): Option[] =>
  suggestChannels(channels, letters).map((channel) => ({
    kind: 'channel',
    key: channel.id,
    channel,
  }));

export function emojiFor(letters: string, serverId: string | undefined): Option[] {
  const own = custom.find(serverId, letters, maxEmoji).map(asEmoji);
  return [...own, ...allEmoji.find(letters, maxEmoji)].slice(0, maxEmoji).map((emoji) => ({
    kind: 'emoji',
    key: `${isCustom(emoji) ? 'own-' : ''}${emoji.name.replaceAll(' ', '-')}`,
    emoji,
    sign: toned(emoji),
  }));
}

export const toned = ({ sign, hasTones }: EmojiEntry) =>
  hasTones ? inTone(sign, emojiHabits().tone) : sign;
