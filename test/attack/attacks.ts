import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { limits } from '../../shared/limits.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import { lawRandom } from '../support/seed.ts';
import { timeoutMs } from '../support/time.ts';
import type { FurnishedData } from './furnish.ts';
import { knock, open, Stranger, type Wire } from './stranger.ts';

export interface Count {
  asked: number;
  answered: number;
  refused: number;
  /** No answer within ten seconds, or the connection was closed or refused. */
  unanswered: number;
}

export const newCount = (): Count => ({ asked: 0, answered: 0, refused: 0, unanswered: 0 });

export interface Target {
  origin: string;
  library: FurnishedData['library'] & {
    file: string;
  };
  /** A timeline of honest people, and the username of one of them. */
  honest: { invite: string; timelineId: string; username: string };
  /** The session of the owner of `doomed`, which is the server to delete, if any. */
  owner: string;
  doomed: string | undefined;
  /** The fraction of each crowd that takes part. */
  share: number;
}

export interface Attack {
  /** Enters as a guest, before anything is measured. */
  prepare?: (target: Target) => Promise<unknown>;
  run: (target: Target, count: Count, goesOn: () => boolean) => Promise<unknown>;
}

type Act = (wire: Wire, target: Target, count: Count) => Promise<unknown>;

let strangers = 0;

/**
 * Up to `many` guests, each with a connection that is reopened when lost. Each connected guest acts at least once, and
 * the attack continues until one has, on a machine of any speed.
 */
function crowd(many: number, act: Act, inviteOf?: (target: Target) => string): Attack {
  const all = Array.from({ length: many }, () => new Stranger((strangers += 1)));
  const coming = ({ share }: Target) => all.slice(0, Math.ceil(many * share));
  return {
    async prepare(target) {
      for (const stranger of coming(target)) {
        const wire = await stranger.connect(target.origin);
        if (inviteOf) await wire?.ask(newCount(), 'server:join', { code: inviteOf(target) });
        wire?.close();
      }
    },
    run: (target, count, goesOn) =>
      Promise.all(
        coming(target).map(async (stranger) => {
          do {
            const wire = await stranger.connect(target.origin);
            if (wire) await actOn(wire, () => act(wire, target, count), goesOn);
            else count.unanswered += 1;
            if (!wire) await sleep(1_000);
          } while (goesOn() || count.asked === 0);
        }),
      ),
  };
}

async function actOn(wire: Wire, act: () => Promise<unknown>, goesOn: () => boolean) {
  do await act();
  while (wire.isOpen && goesOn());
  wire.close();
}

/** Messages that once kept a page busy for seconds, or would have at ten times the length. */
export const hostileBodies = [
  '(http://['.repeat(200) + ')'.repeat(2_200),
  '[a](http://x'.repeat(330),
  '*a '.repeat(660) + 'a_ '.repeat(660),
  Array.from({ length: 85 }, (_, i) => '`'.repeat(i)).join(' '),
  '> - '.repeat(1_000),
  'a\n\n'.repeat(1_300),
  '|\n'.repeat(2_000),
  '- a\n'.repeat(1_000),
  '*a*'.repeat(1_333),
];
let said = 0;

/** Slow enough that the rate limit refuses few. */
const sayHostile: Act = async (wire, { honest: { timelineId } }, count) => {
  const body = hostileBodies[(said += 1) % hostileBodies.length] ?? '';
  await wire.ask(count, 'message:send', { timelineId, body });
  await sleep(1_000);
};

const everything = (timelineIds: string[]) => ({
  epoch: 'of another database',
  rooms: Object.fromEntries(timelineIds.map((id) => [timelineRoom(id), 1])),
});

/** Requests everything without reading the answers, until it is closed or five seconds are over. */
const askAndNotRead: Act = async (wire, { library: { timelineIds } }, count) => {
  wire.stopReading();
  wire.emit(count, 'sync', everything(timelineIds.slice(0, limits.roomsPerSync)));
  for (const timelineId of timelineIds.slice(0, 20))
    wire.emit(count, 'message:list', { timelineId, limit: limits.page });
  await sleep(5_000);
  wire.close();
};

const askForEverything: Act = (wire, { library: { timelineIds } }, count) =>
  wire.ask(count, 'sync', everything(timelineIds.slice(0, limits.roomsPerSync)));

const askForNothing: Act = (wire, _, count) =>
  wire.ask(count, 'sync', everything(Array.from({ length: limits.roomsPerSync }, () => v7())));

const searchMembers: Act = (wire, { library: { serverId } }, count) =>
  wire.ask(count, 'member:list', { serverId, query: 'reader 4' });

/** Each letter matches many words. */
const searchLetters: Act = (wire, _, count) =>
  wire.ask(count, 'message:search', { query: 'a e i o u n r s', order: 'best' });

const atOnce = <T>(many: number, act: () => Promise<T>) =>
  Promise.all(Array.from({ length: many }, act));

const sendChunksOfNothing: Act = (wire, _, count) =>
  atOnce(30, () =>
    wire.ask(count, 'file:chunk', {
      ...{ fileId: v7(), offset: 0, bytes: new Uint8Array(limits.fileChunkBytes) },
    }),
  );

const beginFiles: Act = (wire, { library: { timelineIds } }, count) =>
  atOnce(10, () =>
    wire.ask(count, 'file:begin', {
      ...{ timelineId: timelineIds[0] ?? '', name: 'large', size: 20_000_000 },
    }),
  );

const downloadFiles: Act = (wire, { library: { file } }, count) =>
  atOnce(6, () => wire.download(count, file));

const downloadAndNotRead: Act = (wire, { library: { file } }, count) =>
  atOnce(40, () => wire.download(count, file, false));

/** Guesses one account's password from everywhere and from one address, and unknown accounts' from some addresses. */
const guessPasswords: Attack = {
  async run({ origin, honest: { username } }, count, goesOn) {
    const guess = async (name: () => string, address: () => string) => {
      while (goesOn()) {
        await knock(
          count,
          `${origin}/api/auth/login`,
          { username: name(), password: v7() },
          address(),
        );
        await sleep(250);
      }
    };
    const somewhere = () => `11.${byte()}.${byte()}.${byte()}`;
    await Promise.all([
      guess(() => username, somewhere),
      guess(
        () => username,
        () => '12.0.0.1',
      ),
      guess(nobody, () => `12.0.0.${1 + (byte() % 2)}`),
      guess(nobody, () => `2001:db8:1:${byte().toString(16)}::1`),
    ]);
  },
};

const random = lawRandom();
const byte = () => random.int(0, 255);
const nobody = () => `nobody-${v7().slice(-8)}`;

/** Deletes a large server once, after all other attacks have begun. */
const deleteMuch: Attack = {
  async run({ origin, owner, doomed: serverId }, count, goesOn) {
    if (serverId === undefined) return;
    await sleep(3_000);
    let wire = await open(origin, owner, '13.0.0.1');
    while (!wire && goesOn()) {
      await sleep(1_000);
      wire = await open(origin, owner, '13.0.0.1');
    }
    await wire?.ask(count, 'server:delete', { serverId }, timeoutMs);
    wire?.close();
  },
};

const library = ({ library: { invite } }: Target) => invite;

export const attacks: Record<string, Attack> = {
  'hostile Markdown': crowd(2, sayHostile, ({ honest: { invite } }) => invite),
  'pages that are not read': crowd(48, askAndNotRead, library),
  'sync of 200 full rooms': crowd(4, askForEverything, library),
  'sync of rooms that do not exist': crowd(50, askForNothing),
  'searches of members': crowd(5, searchMembers, library),
  'searches of letters': crowd(2, searchLetters, library),
  'chunks of files that do not exist': crowd(2, sendChunksOfNothing),
  'files that are only begun': crowd(2, beginFiles, library),
  'downloads of a large file': crowd(3, downloadFiles, library),
  'downloads that are not read': crowd(2, downloadAndNotRead, library),
  'guessed passwords': guessPasswords,
  'a large deletion': deleteMuch,
};
