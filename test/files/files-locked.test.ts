import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { connectPatiently } from '../../server/database/connect.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { sendChunks, upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('a message with a file whose row is locked', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let timelineId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    ({ channelId: timelineId } = await openPlace(ann, ben));
  });
  after(() => app.close());

  /** Holds the lock of the row, as a node does while it rewrites a picture of 25 MB. */
  async function whileLocked(fileId: string, work: () => Promise<void>): Promise<void> {
    const sequelize = connectPatiently(app.where, () => Promise.resolve());
    try {
      await transaction({ sequelize }, async (db) => {
        await query(db, 'select 1 from files where id = $1 for update', [fileId]);
        await work();
      });
    } finally {
      await sequelize.close();
    }
  }
  const bytes = Buffer.from('tea');
  const send = (person: Person, fileId: string) =>
    person.ask('message:send', { timelineId, body: 'Look', files: [{ id: fileId }] });
  const said = (person: Person) => person.ask('message:send', { timelineId, body: 'Tea?' });

  it('is refused at once while the file is unfinished, and blocks nobody', async () => {
    const fileId = await sendChunks(ann, timelineId, bytes, 'a.txt');
    await whileLocked(fileId, async () => {
      const [refused, other] = await Promise.all([send(ann, fileId), said(ben)]);
      expect(refused)
        .to.deep.include({ ok: false })
        .and.have.nested.property('error.code', 'invalid');
      expect(other.ok).to.equal(true);
    });
    await ann.send('file:finish', { fileId });
    expect((await send(ann, fileId)).ok).to.equal(true);
  });

  it('is refused at once while the file belongs to another account, and blocks nobody', async () => {
    const { id } = await upload(ann, timelineId, bytes, 'b.txt');
    await whileLocked(id, async () => {
      const [refused, other] = await Promise.all([send(ben, id), said(ann)]);
      expect(refused)
        .to.deep.include({ ok: false })
        .and.have.nested.property('error.code', 'invalid');
      expect(other.ok).to.equal(true);
    });
    expect((await send(ann, id)).ok).to.equal(true);
  });
});
