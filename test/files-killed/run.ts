import type { FileStore } from '../support/file-stores.ts';
import { connectAs, enterAs } from '../support/person.ts';
import { check, comesToBe, type FileFinding } from './check.ts';
import { openPlace, type Place } from './place.ts';
import { keepUploading, noUploads, type Uploads } from './uploads.ts';

export type FileFault =
  | 'a node'
  | 'the other node'
  | 'both nodes'
  /** After a file of a message has moved to the object store. */
  | 'both nodes at a move'
  | 'database'
  | 'database and a node'
  /** When a finished upload is acknowledged, before the uploader's next request. */
  | 'database at a finish';

export interface KillPlan {
  store: FileStore;
  program?: string[];
  uploaders: number;
  faults: readonly FileFault[];
  /** Maximum of extra faults until an interrupted upload has continued on the other node, which depends on chance. */
  more: number;
  /** Seconds to wait until uploads continue, until they end, and until files are removed. */
  timeoutS: number;
}

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
      // An uploader that fails or never ends leaves `lines` above 0, so that the run reports `stuck`.
      void keepUploading(uploads, uploader, i % 2).then(
        () => (lines -= 1),
        () => undefined,
      );
    const isUnderWay = await injectFaults(place, uploads, plan);
    uploads.isStopped = true;
    if (!isUnderWay || !(await comesToBe(() => lines === 0, plan.timeoutS)))
      return { findings: ['stuck'] satisfies FileFinding[], wentOn: uploads.wentOn };
    const begin = async () => {
      const person = await connectAs(place.urls[0]!, cookie);
      const file = { timelineId: uploader.timelineId, name: 'last', size: 1 };
      const { fileId } = await person.send('file:begin', file);
      person.close();
      return fileId;
    };
    const { timeoutS } = plan;
    const findings = await check({ place, store, cookie, sent: uploads.sent, begin, timeoutS });
    return { findings, wentOn: uploads.wentOn };
  } finally {
    uploads.isOver = true;
    await place.close();
  }
}

/** Returns false if uploads or a node do not recover after a fault. */
async function injectFaults(
  place: Place,
  uploads: Uploads,
  { faults, more, timeoutS }: Pick<KillPlan, 'faults' | 'more' | 'timeoutS'>,
): Promise<boolean> {
  for (let i = 0; i < faults.length || (uploads.wentOn === 0 && i < faults.length + more); i += 1) {
    const enough = uploads.chunks + 30;
    if (!(await comesToBe(() => uploads.chunks >= enough, timeoutS))) return false;
    if (!(await comesToBe(() => place.allAnswer(), timeoutS))) return false;
    await injectFault(place, uploads, faults[i % faults.length]!, timeoutS);
  }
  return comesToBe(() => place.allAnswer(), timeoutS);
}

async function injectFault(
  place: Place,
  uploads: Uploads,
  what: FileFault,
  timeoutS: number,
): Promise<void> {
  const killDatabase = await place.aimAtDatabase();
  if (what === 'database at a finish') {
    uploads.atFinish = () => {
      uploads.atFinish = undefined;
      killDatabase();
    };
    await comesToBe(() => uploads.atFinish === undefined, timeoutS);
    return;
  }
  if (what === 'both nodes at a move') await comesToBe(await place.aimAtMove(), timeoutS);
  if (what.startsWith('database')) killDatabase();
  await Promise.all(killedNodes[what].map((i) => place.killNode(i)));
}

const killedNodes: Record<FileFault, number[]> = {
  'a node': [0],
  'the other node': [1],
  'both nodes': [0, 1],
  'both nodes at a move': [0, 1],
  database: [],
  'database and a node': [0],
  'database at a finish': [],
};
