import pLimit from 'p-limit';
import type { ChatError } from '../../shared/failure.ts';
import { busy } from '../../shared/failure.ts';
import { realClock, type Clock } from '../node/clock.ts';

/** The pause after a wrong guess, as a multiple of the time that a comparison takes. */
const rest = 9;
/** The number of places in each lane, and for each member of a group. */
const maxWaiting = { all: 10, each: 3 };

export interface Guess {
  account: string;
  address: string;
  /** True when its network has sent few requests. Such a guess goes ahead of the others. */
  isQuiet: boolean;
  /** The time of the caller's first attempt, in milliseconds since the epoch. */
  since: number;
}

/**
 * The queue of guesses from busy networks and, ahead of them, of guesses from quiet networks at an attacked account. An
 * attacker can guess without end, so guesses take a tenth of one processor, and only time that nothing else needs.
 * A lane has few places, so that nobody waits for long. Quiet guesses take turns by account and busy ones by network,
 * so guesses at one account do not keep the owner of another off a device. If too many wait, the youngest guess of the
 * largest group is refused. A retry keeps the age of the first attempt, so later ones of its group are refused first.
 */
export interface GuessLine {
  readonly size: number;
  /** @throws ChatError busy, when too many guesses wait that are older or in smaller groups */
  run(compare: () => Promise<boolean>, guess: Guess): Promise<boolean>;
}

export function openGuessLine(clock: Clock = realClock): GuessLine {
  const oneAtATime = pLimit(1);
  const quiet = new Lane();
  const busy = new Lane();
  // The shortest comparison so far, in milliseconds. A longer one waited for a processor and did not cost more.
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
  member: string;
  since: number;
  /** True when the guess was right, or could not be compared. */
  compare(): Promise<boolean>;
  refuse(why: ChatError): void;
}

class Lane {
  /** The places of each group, the oldest first. The group with the least recent turn comes first. */
  readonly #groups = new Map<string, Place[]>();
  size = 0;

  /**
   * Takes a place. If there are too many, refuses the youngest place of the member or of the largest group, possibly
   * this one. Returns true when the number of waiting guesses grew.
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

export const tooManyPasswords = () => busy('Sign-in is busy. Try again in a moment.', 3_000);
