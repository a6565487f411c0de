import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Output } from '../../shared/protocol.ts';
import { fileStores } from '../support/file-stores.ts';
import { cookieOf, post } from '../support/person.ts';
import type { Case } from './case.ts';
import { onFileNode, type FileNode } from './file-node.ts';
import { withCrowd, type Audience } from './load-process.ts';
import type { BenchPlace } from './place.ts';
import { measureAll, type RoundPlan, type Results } from './rounds.ts';
import { put, someFile } from './transfers.ts';

export const filesLegend =
  'Files: of 25 MB, one after the other, by a client in a process of its own. The plain server takes a body into memory\n' +
  'and forgets it, or sends a buffer. A node with S3 takes files into PostgreSQL too, and moves them once they are whole.';

const up = 'a file of 25 MB to the server';
const down = 'a file of 25 MB from the server';
export const filesHeadings = [up, down];

export async function measureFiles(place: BenchPlace, course: RoundPlan): Promise<Results> {
  const server = fork(fileURLToPath(new URL('plain-server.ts', import.meta.url)), {
    execArgv: ['--import=tsx'],
  });
  const [port] = (await once(server, 'message')) as [number];
  const measureOn = ([store, ...more]: typeof fileStores, cases: Case[]): Promise<Results> =>
    store === undefined
      ? measureAll(place, cases, course)
      : onFileNode(store, (node) =>
          withCrowd({ urls: [node.url], timelineIds: [node.timelineId] }, async (client) =>
            measureOn(more, [...cases, ...(await casesOn(store.name, node, client))]),
          ),
        );
  const url = `http://127.0.0.1:${port}`;
  try {
    return await withCrowd({ urls: [url], timelineIds: [] }, (client) =>
      measureOn(fileStores, plainCases(url, client)),
    );
  } finally {
    server.disconnect();
  }
}

const plainCases = (url: string, client: Audience): Case[] => [
  {
    ...{ heading: up, name: 'plain HTTP server', isBaseline: true },
    measure: (_place, seconds) => client.transfer({ how: 'put', url, cookie: '' }, seconds),
  },
  {
    ...{ heading: down, name: 'plain HTTP server', isBaseline: true },
    measure: (_place, seconds) => client.transfer({ how: 'get', url, cookie: '' }, seconds),
  },
];

async function casesOn(
  store: string,
  { url, timelineId, settle }: FileNode,
  client: Audience,
): Promise<Case[]> {
  const cookie = cookieOf(await post(url, '/api/auth/guest', { displayName: 'Guest' }));
  const place = `${url}/api/channels/${timelineId}/files/a.bin`;
  const { file } = JSON.parse(await put(place, cookie, someFile())) as Output<'file:finish'>;
  await client.enter(1);
  const settled = async <T>(measured: Promise<T>) => {
    try {
      return await measured;
    } finally {
      await settle();
    }
  };
  return [
    {
      ...{ heading: up, name: `over the socket, ${store}` },
      measure: (_place, seconds) => settled(client.upload({ timelineId }, seconds)),
    },
    {
      ...{ heading: up, name: `by PUT, ${store}` },
      measure: (_place, seconds) =>
        settled(client.transfer({ how: 'put', url: place, cookie }, seconds)),
    },
    {
      ...{ heading: down, name: `by GET, ${store}` },
      measure: (_place, seconds) =>
        client.transfer({ how: 'get', url: `${url}/files/${file.id}/a.bin`, cookie }, seconds),
    },
  ];
}
