import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { openObjectStore, partBytes, type ObjectStore } from '../../server/files/object-store.ts';
import type { Logger } from '../../server/node/log.ts';
import { openBucket, type ObjectBucket } from '../support/file-stores.ts';
import { openProxy, type StoreProxy, type Verdict } from '../support/store-proxy.ts';
import { until } from '../support/time.ts';

const log = { warn: () => undefined, info: () => undefined } as unknown as Logger;
const bytes = randomBytes(2 * partBytes + 1_000);
const size = bytes.length;

/** Pieces with other boundaries than those of the parts. */
const inPieces = (all: Buffer) =>
  Readable.from(
    Array.from({ length: Math.ceil(all.length / 700_001) }, (_, i) =>
      all.subarray(i * 700_001, (i + 1) * 700_001),
    ),
  );

describe('objects larger than a part', () => {
  let bucket: ObjectBucket;
  let proxy: StoreProxy;
  let store: ObjectStore;
  before(async () => {
    bucket = await openBucket();
    proxy = await openProxy(bucket);
    store = (await openObjectStore(proxy.settings.PARLEY_FILES, log))!;
  });
  beforeEach(() => {
    proxy.seen.length = 0;
    proxy.judge = (name) => (name === 'abort' ? 204 : 'forward');
  });
  after(async () => {
    proxy.close();
    await bucket.close();
  });

  const read = async (start: number, end: number) =>
    Buffer.concat((await Readable.from(store.read('large', start, end)).toArray()) as Buffer[]);
  const isThere = async (object: string) => (await bucket.objects()).has(object);

  it('are absent until they are whole', async () => {
    let wasThere: boolean | undefined;
    proxy.judge = async (name): Promise<Verdict> => {
      if (name === 'complete') wasThere = await isThere('large');
      return 'forward';
    };
    await store.write('large', size, inPieces(bytes));
    expect(wasThere).to.equal(false);
    expect(proxy.seen).to.deep.equal(['begin', 'part 1', 'part 2', 'part 3', 'complete']);
    for (const [start, end] of [
      [0, size],
      [partBytes - 5, partBytes + 5],
      [2 * partBytes + 999, size],
    ] as const)
      expect((await read(start, end)).equals(bytes.subarray(start, end))).to.equal(true);
  });

  it('are sent again only from the part that failed', async () => {
    let failed = 0;
    proxy.judge = (name) => (name === 'part 2' && (failed += 1) === 1 ? 500 : 'forward');
    await store.write('retried', size, inPieces(bytes));
    expect(proxy.seen.filter((name) => name.startsWith('part'))).to.deep.equal([
      'part 1',
      'part 2',
      'part 2',
      'part 3',
    ]);
    expect((await bucket.objects()).get('retried')).to.equal(size);
  });

  it('are reported as unavailable if the connection breaks while they are read', async () => {
    await store.write('large', size, inPieces(bytes));
    proxy.judge = () => 'cut off the answer';
    await read(0, size).then(
      () => expect.fail('it was read'),
      (error: unknown) => {
        expect(String(error)).to.include('can’t reach its files');
      },
    );
  });

  const ending = new AbortController();
  for (const [how, write] of [
    [
      'the store refuses a part',
      () => {
        proxy.judge = (name) => ({ 'part 2': 403, abort: 204 })[name] ?? 'forward';
        return store.write('broken', size, inPieces(bytes));
      },
    ],
    ['the bytes end early', () => store.write('broken', size, inPieces(bytes.subarray(1)))],
    [
      'reading the bytes fails',
      () =>
        store.write(
          'broken',
          size,
          (async function* () {
            yield bytes.subarray(0, partBytes + 1);
            throw await Promise.resolve(new Error('The database has ended.'));
          })(),
        ),
    ],
    [
      'the write is stopped',
      () => {
        proxy.judge = (name) => {
          if (name === 'abort') return 204;
          if (name !== 'part 2') return 'forward';
          ending.abort();
          return new Promise(() => undefined);
        };
        return store.write('broken', size, inPieces(bytes), ending.signal);
      },
    ],
  ] as const)
    it(`leave nothing in the store if ${how}`, async () => {
      const error: unknown = await write().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(Error);
      await until(() => proxy.seen.includes('abort'));
      expect(proxy.seen).not.to.include('complete');
      expect(await isThere('broken')).to.equal(false);
    });
});
