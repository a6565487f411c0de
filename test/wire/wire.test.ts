/** The examples of the reference are recorded frames, and match today's frames. `npm run record` records them. */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  chapters,
  changeIn,
  exchangeOf,
  frames,
  framesFile,
  payloadOf,
  type Frames,
} from '../../scripts/docs/frames.ts';
import { changeTypes, commandNames, eventNames, print } from '../../scripts/docs/shapes.ts';
import { changeSchema } from '../../shared/changes.ts';
import { serverEvents } from '../../shared/events.ts';
import { commands } from '../../shared/protocol.ts';
import { startApp } from '../support/app.ts';
import { drift, freeze } from './frozen.ts';
import { Recorder } from './recorder.ts';
import { largeServer, playStory } from './story.ts';

describe('the wire', () => {
  it('matches the reference today; if not, run npm run record', async () => {
    const app = await startApp({ PARLEY_LOBBY: 'off', PARLEY_LARGE_SERVER: largeServer });
    const recorder = new Recorder();
    await playStory(app, recorder);
    const seen = freeze(recorder);
    if (process.env.PARLEY_RECORD !== undefined) writeFileSync(framesFile, print(seen));
    else expect(drift(frames, seen)).to.deep.equal([]);
  });

  it('has an example of each command, event and change, and each chapter of the walk', () => {
    const lacking = (names: readonly string[], part: keyof Frames) =>
      names.filter((name) => !(name in frames[part])).map((name) => `${part}: ${name}`);
    expect([
      ...lacking(commandNames, 'commands'),
      ...lacking(eventNames, 'events'),
      ...lacking(changeTypes, 'changes'),
      ...lacking(chapters, 'walk'),
    ]).to.deep.equal([]);
  });

  it('has examples that fit the contract', () => {
    for (const name of commandNames) {
      const { input, reply } = exchangeOf(name) ?? {};
      expect(commands[name].input.safeParse(withBytes(input)).error, `${name} asked`).to.equal(
        undefined,
      );
      expect(reply?.ok, name).to.equal(true);
      const { error } = commands[name].output.safeParse(reply?.value);
      expect(error, `${name} answered`).to.equal(undefined);
    }
    for (const name of eventNames)
      expect(serverEvents[name].payload.safeParse(payloadOf(name)).error, name).to.equal(undefined);
    for (const type of changeTypes)
      expect(changeSchema(type).safeParse(changeIn(type)).error, type).to.equal(undefined);
  });

  /** Replaces the placeholders of binary data, as Socket.IO does on the server. */
  const withBytes = (input: unknown): unknown =>
    JSON.parse(JSON.stringify(input ?? null), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && '_placeholder' in value
        ? Buffer.from('bytes')
        : value,
    );

  it('has no example of anything removed from the contract', () => {
    expect(commandNames).to.include.members(Object.keys(frames.commands));
    expect(eventNames).to.include.members(Object.keys(frames.events));
    expect(changeTypes).to.include.members(Object.keys(frames.changes));
  });
});
