/** Uploads to two nodes, which are killed with their database again and again, and what is not as promised then. */
import type { FileStore } from '../support/file-stores.ts';
import { connectAs, enterAs } from '../support/person.ts';
import { check, comesToBe, type FileFinding } from './check.ts';
import { openPlace, type Place } from './place.ts';
import { keepUploading, noUploads, type Uploads } from './uploads.ts';

export type Strike =
  | 'a node'
  | 'the other node'
  | 'both nodes'
  /** Once a file has moved to the object store that a message has. */
  | 'both nodes at a move'
  | 'database'
  | 'database and a node'
  /** Before anything else is asked. */
  | 'database at a finish';

export interface KillPlan {
  store: FileStore;
  /** What runs on a node, instead of the server as it is built. */
  program?: string[];
  /** How many upload at a time. */
  uploaders: number;
  strikes: readonly Strike[];
  /** How many more strikes at most, until one cut off an upload in its midst that went on elsewhere: which is chance. */
  more: number;
  /** In seconds: how long it may take until uploads go on, and end, and until what is to go is gone. */
  patience: number;
}

/** What is not as promised, and how many uploads went on elsewhere from where they had been cut off. */
export async function runKilled({ store, program, ...plan }: KillPlan) {
  const place = await openPlace(store, program);
  const uploads = noUploads();
  try {
    const ann = await enterAs(place.urls[0]!, 'register', {
      ...{ username: 'ann', password: 'a long sentence' },
    });
    const { cookie } = ann;
    const { server } = await ann.send('server:create', { name: 'Place' });
    ann.close();
    const uploader = { urls: place.urls, cookie, timelineId: server.defaultChannelId };
    let lines = plan.uploaders;
    for (let i = 0; i < plan.uploaders; i += 1)
      // One that never ends is found as such.
      void keepUploading(uploads, uploader, i % 2).then(
        () => (lines -= 1),
        () => undefined,
      );
    const isUnderWay = await strikeInTurn(place, uploads, plan);
    uploads.isStopped = true;
    if (!isUnderWay || !(await comesToBe(() => lines === 0, plan.patience)))
      return { findings: ['stuck'] satisfies FileFinding[], wentOn: uploads.wentOn };
    const begin = async () => {
      const person = await connectAs(place.urls[0]!, cookie);
      const file = { timelineId: uploader.timelineId, name: 'last', size: 1 };
      const { fileId } = await person.send('file:begin', file);
      person.close();
      return fileId;
    };
    const { patience } = plan;
    const findings = await check({ place, store, cookie, sent: uploads.sent, begin, patience });
    return { findings, wentOn: uploads.wentOn };
  } finally {
    uploads.isOver = true;
    await place.close();
  }
}

/** False if uploads did not go on after one of them, or a node did not. */
async function strikeInTurn(
  place: Place,
  uploads: Uploads,
  { strikes, more, patience }: Pick<KillPlan, 'strikes' | 'more' | 'patience'>,
): Promise<boolean> {
  for (
    let i = 0;
    i < strikes.length || (uploads.wentOn === 0 && i < strikes.length + more);
    i += 1
  ) {
    const enough = uploads.chunks + 30;
    if (!(await comesToBe(() => uploads.chunks >= enough, patience))) return false;
    if (!(await comesToBe(() => place.allAnswer(), patience))) return false;
    await strike(place, uploads, strikes[i % strikes.length]!, patience);
  }
  return comesToBe(() => place.allAnswer(), patience);
}

async function strike(
  place: Place,
  uploads: Uploads,
  what: Strike,
  patience: number,
): Promise<void> {
  const killDatabase = await place.aimAtDatabase();
  if (what === 'database at a finish') {
    uploads.atFinish = () => {
      uploads.atFinish = undefined;
      killDatabase();
    };
    await comesToBe(() => uploads.atFinish === undefined, patience);
    return;
  }
  if (what === 'both nodes at a move') await comesToBe(await place.aimAtMove(), patience);
  if (what.startsWith('database')) killDatabase();
  await Promise.all(struck[what].map((i) => place.killNode(i)));
}

/** Which nodes are killed. */
const struck: Record<Strike, number[]> = {
  'a node': [0],
  'the other node': [1],
  'both nodes': [0, 1],
  'both nodes at a move': [0, 1],
  database: [],
  'database and a node': [0],
  'database at a finish': [],
};
