/** Measures waits for messages while others upload, compared with no uploads, and the resources that it takes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileStores } from '../support/file-stores.ts';
import type { Act, Case, Figures } from './case.ts';
import { forgetMost, onFileNode, readMemory, type FileNode } from './file-node.ts';
import { withCrowd } from './load-process.ts';

export const sharingLegend =
  'Messages beside uploads: 20 a second, each timed until its ack, while one person uploads files of 25 MB, one after\n' +
  'the other, or twenty people one each at the same time. All are clients in processes of their own on the same cores,\n' +
  'of a node that has just started. MB are those of its process (RSS), the last five seconds after; on Linux only.';

const perSecond = 20;
const speakers = 4;
/** Milliseconds before the remaining memory is read. */
const rest = 5_000;

/** Each case has a new node, because memory of earlier uploads stays in a process. */
export const sharing: Act = {
  people: 0,
  channels: [],
  casesWith: () =>
    fileStores.flatMap((store) =>
      [0, 1, 20].map((uploaders): Case => {
        return {
          heading: `messages beside uploads, in ${store.name}`,
          name: uploaders === 0 ? 'quiet' : `beside ${uploaders}`,
          isBaseline: uploaders === 0,
          isCold: true,
          measure: (_place, seconds) =>
            onFileNode(store, (node) => talkOn(node, uploaders, seconds * 5)),
        };
      }),
    ),
};

/** Runs for at least `seconds`, and until every started upload is complete. */
const talkOn = (
  { url, timelineId, pid, settle }: FileNode,
  uploaders: number,
  seconds: number,
): Promise<Figures> => {
  const door = { urls: [url], timelineIds: [timelineId] };
  const talk = { timelineId, perSecond };
  return withCrowd(door, (crowd) =>
    withCrowd(door, async (others) => {
      await crowd.enter(speakers, [timelineId]);
      await others.enter(uploaders);
      await crowd.talk(talk, AbortSignal.timeout(2_000));
      await forgetMost(pid);
      const { now: before } = await readMemory(pid);
      const over = new AbortController();
      const besides = async () => {
        const [sent] = await Promise.all([
          others.upload({ timelineId }, uploaders === 1 ? seconds : 0),
          sleep(seconds * 1_000),
        ]);
        over.abort();
        return sent;
      };
      const [said, sent] = await Promise.all([crowd.talk(talk, over.signal), besides()]);
      await settle();
      await sleep(rest);
      const { now: after, peak } = await readMemory(pid);
      return { ...said, ...sent, 'MB before': before, 'MB at most': peak, 'MB after': after };
    }),
  );
};
