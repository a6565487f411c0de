import { expect } from 'chai';
import { jsonBytes } from '../../server/realtime/json-bytes.ts';
import { writeOnce } from '../../server/realtime/written-once.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { countStatements } from '../support/statements.ts';

describe('data for many recipients', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  before(async () => {
    app = await startApp();
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Many' });
    serverId = server.id;
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
    app.hold();
  });
  after(() => app.close());

  async function comeBack() {
    const opened = await ann.send('server:open', { serverId });
    const again = await ann.newTab();
    const rooms = { [serverRoom(serverId)]: 'version' in opened ? opened.version : 0 };
    const { rooms: entries } = await again.send('sync', { epoch: ann.ready.epoch, rooms });
    again.close();
    return entries[0];
  }

  it('is the same for the first and for later recipients, and current at that moment', async () => {
    const ids = [ann, ben].map(({ ready }) => ready.you.id);
    for (let i = 0; i < 2; i += 1) {
      const entry = await comeBack();
      expect(entry).to.include({ status: 'current' });
      expect(entry).to.have.property('presence').that.has.all.keys(ids);
    }
    await ben.send('presence:set', { status: 'dnd' });
    expect(await comeBack()).to.have.nested.property(`presence.${ben.ready.you.id}`, 'dnd');
    await ben.send('presence:set', { status: 'invisible' });
    expect(await comeBack())
      .to.have.property('presence')
      .that.has.all.keys([ids[0]!]);
    await ben.send('presence:set', { status: 'online' });
    await ann.send('member:remove', { serverId, userId: ben.ready.you.id });
    expect(await comeBack())
      .to.have.property('presence')
      .that.has.all.keys([ids[0]!]);
  });

  it('is not read again for a recipient that has the current state', async () => {
    await comeBack();
    const sent = await countStatements(comeBack);
    const lists = sent.filter((text) => /from members\s+where server_id = \$1/.test(text));
    // From `server:open`, which reads the whole list.
    expect(lists, lists.join('\n')).to.have.length(1);
  });

  it('is serialized as plain data by JSON.stringify and Socket.IO, also when nested', () => {
    const inner = writeOnce({ text: '€ "quoted"\n', none: undefined });
    const outer = { list: writeOnce([inner, { inner }]), inner };
    const plain = { text: '€ "quoted"\n' };
    const all = { list: [plain, { inner: plain }], inner: plain };
    expect(JSON.parse(JSON.stringify(outer))).to.deep.equal(all);
    expect(jsonBytes(inner)).to.equal(Buffer.byteLength(JSON.stringify(plain)));
    const { encoder } = app.node.io as unknown as {
      encoder: { encode: (packet: object) => string[] };
    };
    const encoded = (data: unknown) => encoder.encode({ type: 3, nsp: '/', id: 7, data });
    expect(encoded([outer])).to.deep.equal([`37${JSON.stringify([all])}`]);
    expect(encoded([outer])).to.deep.equal(encoded([all]));
  });
});
