import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { validate, version as versionOf } from 'uuid';
import { replyId } from '../../client/bot/ids.ts';
import { newId } from '../../client/sync/ids.ts';
import { root } from './trial.ts';

describe('a bot made with parley/bot', () => {
  it('gives a reply an id that is a version 7 UUID with the time of what it answers', () => {
    const trigger = newId();
    const ids = [0, 1, 2].map((ordinal) => replyId('bot', trigger, ordinal));
    expect(replyId('bot', trigger, 0)).to.equal(ids[0]);
    expect(
      new Set([...ids, replyId('another', trigger, 0), replyId('bot', newId(), 0)]),
    ).to.have.length(5);
    for (const id of [...ids, trigger]) {
      expect(validate(id)).to.equal(true);
      expect(versionOf(id)).to.equal(7);
      expect(id.slice(0, 13)).to.equal(trigger.slice(0, 13));
    }
  });

  it('needs nothing but Node and socket.io-client', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: { './bot': { default: string } };
    };
    const entry = join(root, exports['./bot'].default);
    const [needed, seen] = [new Set<string>(), new Set<string>()];
    const look = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
        /^(?:import|export)\b.*from '(.+)';$/gm,
      ))
        if (from.startsWith('.')) look(join(dirname(file), from));
        else needed.add(from);
    };
    look(entry);
    expect(seen.size).to.be.above(10);
    expect([...needed].filter((name) => !name.startsWith('node:'))).to.deep.equal([
      'socket.io-client',
    ]);
  });
});
