/** Every command × every kind of caller; allowed cells run on real data. A missing row or kind does not compile. */
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import type { Failure } from '../../shared/failure.ts';
import { commands, type CommandName } from '../../shared/protocol.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openSocket } from '../support/person.ts';
import { kinds, type CallerKind } from './kinds.ts';
import { matrix } from './matrix.ts';
import { rowInput, type PermissionRow } from './row.ts';
import { castIn, setScene, type Cast, type Scene } from './scene.ts';

describe('permissions of commands', () => {
  let app: TestApp;
  let cast: Cast;

  before(async () => {
    app = await startApp();
    cast = await castIn(app);
  });
  // Drops unfinished uploads, because a caller may have only a few.
  afterEach(() =>
    query(
      app.db,
      'update files set dropped = true where finished_at is null and timeline_id is not null',
    ),
  );
  after(() => app.close());

  /** One caller of each kind runs all commands, because setting up a scene takes longer than the commands. */
  const scenes = new Map<CallerKind, Scene | undefined>();

  async function outcome(
    name: CommandName,
    row: PermissionRow<CommandName>,
    kind: CallerKind,
  ): Promise<string> {
    const known = row.fresh ? undefined : scenes.get(kind);
    const scene = known ?? (await setScene(app, kind, cast));
    const input = await rowInput(row, scene);
    await scene.tie();
    const became = await scene.caller.send(name, input).then(
      () => 'allowed',
      (error: unknown) => (error as Partial<Failure>).code ?? `no answer: ${String(error)}`,
    );
    const isChanged = became === 'allowed' && !row.keeps && commands[name].rate !== 'read';
    const isSpent = (row.fresh ?? ('input' in row && isChanged)) || !scene.caller.socket.connected;
    if (isSpent) await scene.close();
    else if (isChanged) await scene.forget();
    if (!row.fresh) scenes.set(kind, isSpent ? undefined : scene);
    return became;
  }

  for (const name of Object.keys(commands) as CommandName[]) {
    for (const row of matrix[name] as PermissionRow<CommandName>[]) {
      it([name, row.what].filter(Boolean).join(': '), async () => {
        const asked = kinds.map(async (kind) => [kind, await outcome(name, row, kind)] as const);
        // Waits for all, so that nothing continues during the next row.
        await Promise.allSettled(asked);
        expect(Object.fromEntries(await Promise.all(asked))).to.deep.equal(row.cells);
      });
    }
  }

  it('refuse every command without a session, as unauthenticated', async () => {
    for (const name of Object.keys(commands) as CommandName[]) {
      const socket = openSocket(app.url, undefined);
      let answered = false;
      socket.emit(name, {}, () => {
        answered = true;
      });
      const error = await new Promise<Error & { data?: { code: string } }>((resolve) => {
        socket.once('connect_error', resolve);
      });
      expect(error.data?.code).to.equal('unauthenticated');
      expect(answered).to.equal(false);
      socket.disconnect();
    }
  });
});
