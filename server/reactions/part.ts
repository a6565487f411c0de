/** Reactions as a part of messages: see messages/part.ts. */
import { conflict, forbidden, invalid, type ChatError } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { blockedPairs } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import { knownEmoji } from '../emoji/known.ts';
import type { PartRequest, MessagePart, PartFields, PartWriter } from '../messages/part.ts';
import * as store from './store.ts';
import { openTally, type Tally } from './tally.ts';

export const reactionPart: MessagePart = {
  columns: { reactions: { column: 'reactions', type: 'jsonb' } },
  sweep: store.deleteReactions,
};

export interface ReactionAsk {
  emoji: string;
  on: boolean;
}

export const reactionWriter: PartWriter<ReactionAsk> = {
  merges: true,
  // Users can remove their own reaction wherever they can see it.
  permissionFor: ({ on }) => (on ? 'react' : 'see'),
  async write(db, asked) {
    const isStored = await store.findReactions(db, asked.map(reactionOf));
    const pairs = asked.map(({ user, message }) => [user.id, message.authorId] as const);
    const isApart = await blockedPairs(db, pairs);
    const isKnown = await knownEmoji(db, asked.filter(({ ask }) => ask.on).map(usedIn));
    const tallies = new Map<string, Tally>();
    const refusals = new Map<number, ChatError>();
    for (const [i, one] of asked.entries()) {
      const { message, user } = one;
      const tally = tallies.get(message.id) ?? openTally(message.reactions);
      tallies.set(message.id, tally);
      const reaction = reactionOf(one);
      const isOn = tally.isOn(reaction) ?? isStored(reaction);
      if (isOn === one.ask.on) continue;
      const refusal = one.ask.on
        ? refuse(one, tally, {
            isApart: isApart(user.id, message.authorId),
            isKnown: isKnown(usedIn(one)),
          })
        : undefined;
      if (refusal) refusals.set(i, refusal);
      else tally.put(reaction, one.ask.on);
    }
    return { refusals, fields: await storeTallies(db, tallies) };
  },
};

const reactionOf = ({
  ask: { emoji },
  user,
  message,
}: PartRequest<ReactionAsk>): store.Reacted => ({
  messageId: message.id,
  emoji,
  userId: user.id,
});

const usedIn = ({ ask: { emoji }, message: { timelineId } }: PartRequest<ReactionAsk>) => ({
  ...{ emoji, timelineId },
});

function refuse(
  { ask }: PartRequest<ReactionAsk>,
  tally: Tally,
  { isApart, isKnown }: { isApart: boolean; isKnown: boolean },
): ChatError | undefined {
  if (isApart) return forbidden('You can’t react to this person’s messages.');
  if (!isKnown) return invalid('This server has no such emoji.', 'emoji');
  return tally.has(ask.emoji) || tally.size < quotas.reactionKinds
    ? undefined
    : conflict(`A message can have up to ${quotas.reactionKinds} different reactions.`);
}

async function storeTallies(db: Db, tallies: Map<string, Tally>): Promise<Map<string, PartFields>> {
  const changed = [...tallies].filter(([, { changes }]) => changes.length > 0);
  await store.writeReactions(
    db,
    changed.flatMap(([, { changes }]) => changes),
  );
  const lacking = changed.flatMap(([messageId, tally]) =>
    tally.lacking.map((emoji) => ({ messageId, emoji })),
  );
  const first = await store.findFirst(db, lacking);
  return new Map(
    changed.map(([id, tally]) => [
      id,
      { reactions: tally.reactions((emoji) => first.get(`${id} ${emoji}`) ?? []) },
    ]),
  );
}
