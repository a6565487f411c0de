/**
 * Limits the statements of each command until it has committed, or until its answer if it only reads. The limits are in
 * statements.json, and one more fails. PARLEY_RECORD=yes records the current numbers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { commands, type CommandName } from '../../shared/protocol.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { countStatements } from '../support/statements.ts';
import { kinds, type CallerKind } from './kinds.ts';
import { matrix } from './matrix.ts';
import { rowInput, type PermissionRow } from './row.ts';
import { castIn, setScene, type Cast, type Scene } from './scene.ts';

const file = new URL('statements.json', import.meta.url);
const tries = 5;
const isRecording = process.env.PARLEY_RECORD !== undefined;
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;

interface Case {
  title: string;
  name: CommandName;
  row: PermissionRow<CommandName>;
  kind: CallerKind;
}

const cases: Case[] = (Object.keys(commands) as CommandName[]).flatMap((name) =>
  (matrix[name] as PermissionRow<CommandName>[]).flatMap((row) => {
    const kind = kinds.find((one) => row.cells[one] === 'allowed');
    const title = [name, row.what].filter(Boolean).join(': ');
    return kind === undefined ? [] : [{ title, name, row, kind }];
  }),
);

/** Leaves out later statements, which run before or after the answer. */
function untilCommitted(sent: string[]): string[] {
  const committed = sent.indexOf('commit', sent.lastIndexOf('begin'));
  return sent.includes('begin') && committed > 0 ? sent.slice(0, committed + 1) : sent;
}

describe('the statements of a command', () => {
  let app: TestApp;
  let cast: Cast;
  const counted: Record<string, number> = {};

  before(async () => {
    app = await startApp();
    // Excludes the node's own timers, and the search index that they would have filled.
    app.hold();
    cast = await castIn(app);
  });
  after(() => app.close());
  after(() => {
    if (isRecording) writeFileSync(file, `${JSON.stringify(counted, undefined, 2)}\n`);
  });

  /** Callers who only read keep their scene; for all others it is set up again. */
  const scenes = new Map<CallerKind, Scene>();

  async function count({ name, row, kind }: Case): Promise<string[]> {
    const known = row.fresh ? undefined : scenes.get(kind);
    const scene = known ?? (await setScene(app, kind, cast));
    const input = await rowInput(row, scene);
    await scene.tie();
    await settled(scene.caller);
    const sent = untilCommitted(await countStatements(() => scene.caller.send(name, input)));
    const isSpent = row.fresh ?? commands[name].rate !== 'read';
    if (isSpent) scenes.delete(kind);
    else scenes.set(kind, scene);
    if (isSpent && scene.caller.socket.connected) await scene.close();
    return sent;
  }

  /** Waits until two questions in a row cost a single statement each, so that the work caused by the scene is over. */
  async function settled(caller: Person): Promise<void> {
    for (let alone = 0; alone < 2;) {
      const sent = await countStatements(() => caller.send('session:list', {}));
      alone = sent.length === 1 ? alone + 1 : 0;
    }
  }

  /** The fewest of several tries: the first fills caches, and the node's own work can fall into any. */
  async function fewest(one: Case, enough: number): Promise<string[]> {
    let best = await count(one);
    for (let more = 0; more < tries && best.length > enough; more += 1) {
      const sent = await count(one);
      if (sent.length < best.length) best = sent;
    }
    return best;
  }

  for (const one of cases)
    it(`do not exceed their recorded number: ${one.title}`, async () => {
      const sent = await fewest(one, recorded[one.title] ?? -1);
      counted[one.title] = sent.length;
      if (!isRecording)
        expect(sent, sent.join('\n\n')).to.have.length.of.at.most(recorded[one.title] ?? -1);
    });

  it('are recorded for each command, and for no other', () => {
    const titles = cases.map(({ title }) => title);
    if (!isRecording) expect(Object.keys(recorded)).to.have.members(titles);
  });
});
