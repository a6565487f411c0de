import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { query } from '../../server/database/database.ts';
import type { Act, Case, Figures } from './case.ts';
import { postmasterOf, usedByFamily } from './cpu.ts';
import type { Audience } from './load-process.ts';
import type { BenchPlace } from './place.ts';

export const arrivingLegend =
  'Arriving: people of a server of some hundred, so many at a time; each comes until `ready` and goes. “bare” is Socket.IO\n' +
  'alone, which looks up a session by one statement and says as much. CPU is the node’s own, PG that of PostgreSQL (Linux only).';

/** `back` with a session, until `ready`; `as a guest` by HTTP only. */
export type Arrival = 'back' | 'as a guest';

const together = 50;

export const arriving: Act = {
  people: 100,
  channels: [],
  casesWith: (crowd) => [
    {
      ...caseOf('until ready', 'bare'),
      isBaseline: true,
      measure: (place, seconds) => onBare(crowd, place, seconds),
    },
    {
      ...caseOf('until ready', 'Parley'),
      measure: (place, seconds) => arrivals(crowd, place, { seconds, how: 'back' }),
    },
    {
      ...caseOf('by HTTP', 'guests who sign in'),
      measure: (place, seconds) => arrivals(crowd, place, { seconds, how: 'as a guest' }),
    },
  ],
};

const caseOf = (until: string, name: string): Pick<Case, 'heading' | 'name'> => ({
  heading: `arriving, ${together} at a time, ${until}`,
  name,
});

interface Arrivals {
  seconds: number;
  how: Arrival;
  url?: string;
}

async function arrivals(
  crowd: Audience,
  { db, url: here }: BenchPlace,
  { seconds, how, url = here }: Arrivals,
): Promise<Figures> {
  const postmaster = await postmasterOf(db);
  const before = { node: process.cpuUsage(), postgres: await usedByFamily(postmaster) };
  const { came = 0, ...more } = await crowd.come({ how, url, together, seconds });
  const { user, system } = process.cpuUsage(before.node);
  const postgres = (await usedByFamily(postmaster)) - before.postgres;
  return {
    'CPU ms each': (user + system) / 1_000 / came,
    'PG ms each': postgres / 1_000 / came,
    '/s': came / seconds,
    ...more,
  };
}

/** Measures a minimal server: it accepts everyone, and sends `ready` after the one lookup of the session. */
async function onBare(crowd: Audience, place: BenchPlace, seconds: number): Promise<Figures> {
  const http = createServer();
  const io = new Server(http, { transports: ['websocket'], serveClient: false });
  io.on('connection', (socket) => {
    const { cookie = '' } = socket.request.headers;
    void query(place.db, 'select user_id from sessions where token_hash = $1', [cookie]).then(
      (sessions) => socket.emit('ready', { sessions, limits: place.node.config }),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  try {
    return await arrivals(crowd, place, { seconds, how: 'back', url: `http://127.0.0.1:${port}` });
  } finally {
    await io.close();
  }
}
