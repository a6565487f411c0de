import pLimit from 'p-limit';
import { ChatError } from '../../shared/failure.ts';
import { realClock, type Clock } from '../node/clock.ts';

/** After a wrong guess the next one waits for so many times as long as a comparison costs. */
const rest = 9;
/** In each lane, and of one member of a group. */
const maxWaiting = { all: 10, each: 3 };

export interface Guess {
  /** Whose password it is a guess at. */
  account: string;
  /** Where it comes from. */
  address: string;
  /** Whether its network has asked little: such a guess goes ahead of the others. */
  isQuiet: boolean;
  /** When the caller found no place for the first time, in milliseconds since the epoch. */
  since: number;
}

/**
 * Where guesses from busy networks wait, and ahead of them those from quiet networks at an account that is guessed at.
 * Guessing goes on for as long as somebody likes: it takes a tenth of one processor, and only while nobody else wants
 * it. It waits for no other hashing, nor does other hashing wait for it.
 *
 * A lane has few places, so that nobody waits for long. Quiet guesses take turns by account, busy ones by network: who
 * guesses at one account keeps the owner of another off no device. If too many wait, the youngest guess of the largest
 * group is refused. Whoever comes back keeps their age, so everybody gets a place in the end.
 */
export interface GuessLine {
  /** How many wait. */
  readonly size: number;
  /** @throws ChatError busy, when too many wait that are older or of smaller groups */
  run(compare: () => Promise<boolean>, guess: Guess): Promise<boolean>;
}

export function openGuessLine(clock: Clock = realClock): GuessLine {
  const oneAtATime = pLimit(1);
  const quiet = new Lane();
  const busy = new Lane();
  // The shortest that was seen, in milliseconds: a guess that had to wait for a processor did not cost more.
  let cost = Infinity;

  async function compareNext(): Promise<void> {
    const began = clock.now();
    const next = quiet.next() ?? busy.next();
    if (next === undefined || (await next.compare())) return;
    cost = Math.min(cost, clock.now() - began);
    await new Promise<void>((over) => clock.after(rest * cost, over));
  }

  return {
    get size() {
      return quiet.size + busy.size;
    },
    run: (compare, { account, address, isQuiet, since }) =>
      new Promise((resolve, reject) => {
        const place: Place = {
          group: isQuiet ? account : address,
          member: isQuiet ? address : account,
          since,
          async compare() {
            const compared = compare();
            compared.then(resolve, reject);
            return compared.catch(() => true);
          },
          refuse: reject,
        };
        const isOneMore = (isQuiet ? quiet : busy).enter(place);
        if (isOneMore) oneAtATime(compareNext).catch(reject);
      }),
  };
}

interface Place {
  group: string;
  /** One of its group, with few places at a time. */
  member: string;
  since: number;
  /** Whether the guess was right, or could not be compared. */
  compare(): Promise<boolean>;
  refuse(why: ChatError): void;
}

/** Guesses that take turns by group, the oldest of each first. */
class Lane {
  /** The places of each group by age. The group whose turn is the longest ago comes first. */
  readonly #groups = new Map<string, Place[]>();
  size = 0;

  /**
   * Takes a place. If there are too many, the youngest of the member or of the largest group is refused, which may be
   * this one. Returns whether one more waits than before.
   */
  enter(place: Place): boolean {
    const group = this.#groups.get(place.group) ?? [];
    const younger = group.findIndex(({ since }) => since > place.since);
    group.splice(younger === -1 ? group.length : younger, 0, place);
    this.#groups.set(place.group, group);
    this.size += 1;
    const own = group.filter(({ member }) => member === place.member);
    if (own.length > maxWaiting.each) this.#refuse(group, own.at(-1));
    else if (this.size > maxWaiting.all) this.#refuse(...this.#youngestOfLargest());
    else return true;
    return false;
  }

  next(): Place | undefined {
    const [group] = this.#groups.values();
    const place = group?.shift();
    if (group === undefined || place === undefined) return undefined;
    this.size -= 1;
    this.#groups.delete(place.group);
    if (group.length > 0) this.#groups.set(place.group, group);
    return place;
  }

  #youngestOfLargest(): [group: Place[], place: Place | undefined] {
    const [largest = []] = [...this.#groups.values()].sort(
      (one, other) => other.length - one.length || youngest(other) - youngest(one),
    );
    return [largest, largest.at(-1)];
  }

  #refuse(group: Place[], place: Place | undefined): void {
    if (place === undefined) return;
    group.splice(group.indexOf(place), 1);
    this.size -= 1;
    if (group.length === 0) this.#groups.delete(place.group);
    place.refuse(tooManyPasswords());
  }
}

const youngest = (group: Place[]) => group.at(-1)?.since ?? 0;

export const tooManyPasswords = () =>
  new ChatError('busy', 'Sign-in is busy. Try again in a moment.', {
    retryAfterMs: 3_000,
  });
