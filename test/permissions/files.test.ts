import { expect } from 'chai';
import type { PicturePurpose } from '../../shared/files.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { storePicture } from '../support/files.ts';
import { openLinkedSite, titled, type LinkedSite } from '../support/linked-site.ts';
import type { Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';
import {
  everyone,
  serverMembers,
  kinds,
  noOne,
  readers,
  writers,
  type CallerKind,
  type Cells,
} from './kinds.ts';
import { everywhere } from './places.ts';
import { rowInput, type Asking } from './row.ts';
import { castIn, finished, setScene, type Cast, type Scene } from './scene.ts';

/** The input of a row is a path. */
type Row = Asking<string> & { what: string; cells: Cells };

const pathOf = ({ id }: { id: string }) => `/files/${id}/tea.png`;

async function sent({ other, place }: Scene, timelineId: string) {
  const send = async (by: Person) => {
    const file = await finished(by, { timelineId });
    return (await by.send('message:send', { timelineId, files: [file] })).message;
  };
  return send(other).catch(async (error: unknown) => {
    // The other cannot send in an announcement channel.
    const isForbidden = error instanceof Error && 'code' in error && error.code === 'forbidden';
    if (!isForbidden) throw error;
    return send((await place()).owner);
  });
}

const readBy = async (scene: Scene, timelineId: string) => {
  const { files = [] } = await sent(scene, timelineId);
  return pathOf(files[0]!);
};

describe('permissions to read and to upload files', () => {
  let app: TestApp;
  let cast: Cast;
  let avatar: Promise<string> | undefined;
  const scenes = new Map<CallerKind, Scene>();

  let site: LinkedSite;
  before(async () => {
    site = await openLinkedSite();
    app = await startApp(site.settings);
    cast = await castIn(app);
  });
  after(async () => {
    await app.close();
    await site.close();
  });

  const stored = (person: Person, purpose: PicturePurpose) =>
    storePicture(app.db, person.id, purpose);

  const outcomes: Record<number, string> = {
    ...{ 200: 'allowed', 201: 'allowed', 403: 'forbidden', 404: 'not_found' },
  };
  async function outcome(row: Row, kind: CallerKind, method: 'GET' | 'PUT') {
    const scene = scenes.get(kind) ?? (await setScene(app, kind, cast));
    scenes.set(kind, scene);
    const path = await rowInput(row, scene);
    await scene.tie();
    const { cookie } = scene.caller;
    const body = method === 'PUT' ? { body: 'tea' } : {};
    const answer = await fetch(app.url + path, { method, headers: { cookie }, ...body });
    await answer.arrayBuffer();
    return outcomes[answer.status] ?? answer.status;
  }

  function check(method: 'GET' | 'PUT', rows: Row[]) {
    for (const row of rows)
      it(`${method}: ${row.what}`, async () => {
        const asked = kinds.map(async (kind) => [kind, await outcome(row, kind, method)] as const);
        await Promise.allSettled(asked);
        expect(Object.fromEntries(await Promise.all(asked))).to.deep.equal(row.cells);
      });
  }

  check('GET', [
    ...everywhere<string>(({ timelineId }, scene) => readBy(scene, timelineId), readers),
    {
      what: 'another’s that no message has',
      inPlace: async ({ channelId }, { other }) =>
        pathOf(await finished(other, { timelineId: channelId })),
      cells: noOne,
    },
    {
      what: 'own that no message has',
      inPlace: async ({ channelId }, { caller }) =>
        pathOf(await finished(caller, { timelineId: channelId })),
      cells: serverMembers,
    },
    {
      what: 'of a deleted message',
      inPlace: async ({ channelId }, scene) => {
        const { id: messageId, files = [] } = await sent(scene, channelId);
        await scene.other.send('message:delete', { messageId });
        return pathOf(files[0]!);
      },
      cells: noOne,
    },
    {
      what: 'the picture of a preview',
      inPlace: async ({ channelId }, { other }) => {
        const png = await picture().png().toBuffer();
        site.serve('/tea.png', (_request, response) => response.end(png));
        const body = site.serve('/tea', titled('Tea', '<meta name="og:image" content="tea.png">'));
        const { message } = await other.send('message:send', { timelineId: channelId, body });
        let id: string | undefined;
        await until(async () => {
          const asked = { timelineId: channelId, around: message.position };
          const { messages } = await other.send('message:list', asked);
          id = messages.find((one) => one.id === message.id)?.previews?.[0]?.picture;
          return id !== undefined;
        });
        return `/files/${id}/preview`;
      },
      cells: serverMembers,
    },
    {
      // Visible like a name.
      what: 'an avatar',
      input: async ({ other }) => {
        // One for all rows, because the next would replace it.
        avatar ??= stored(other, 'avatar').then(async (id) => {
          await other.send('user:update', { avatar: id });
          return pathOf({ id });
        });
        return avatar;
      },
      cells: everyone,
    },
    {
      what: 'a server’s icon',
      inPlace: async ({ owner, server }) => {
        const icon = await stored(owner, 'icon');
        await owner.send('server:update', { serverId: server.id, icon });
        return pathOf({ id: icon });
      },
      cells: serverMembers,
    },
    {
      what: 'an emoji',
      inPlace: async ({ owner, server }) => {
        const fileId = await stored(owner, 'emoji');
        const name = `e${fileId.slice(-8)}`;
        await owner.send('emoji:create', { serverId: server.id, name, fileId });
        return pathOf({ id: fileId });
      },
      cells: serverMembers,
    },
  ]);

  check(
    'PUT',
    everywhere<string>(({ timelineId }) => `/api/channels/${timelineId}/files/tea.png`, writers),
  );
});
