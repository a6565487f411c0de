import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import type { CommandName, Input } from '../../shared/protocol.ts';
import { connectPatiently } from '../../server/database/connect.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('a command that names a person whose room is locked', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let cem: Person;
  let place: { serverId: string; channelId: string };
  let secretId: string;
  let groupId: string;
  let keeperId: string;

  before(async () => {
    app = await startApp({ PARLEY_LOBBY: 'off' });
    [ann, ben, cem] = [await app.person('Ann'), await app.person('Ben'), await app.person('Cem')];
    const dora = await app.person('Dora');
    place = await openPlace(ann, ben, dora);
    const { serverId } = place;
    secretId = (await ann.send('channel:create', { serverId, name: 'secret', private: true }))
      .channel.id;
    const keeper = { serverId, name: 'Keeper', permissions: ['manage messages' as const] };
    keeperId = (await ann.send('role:create', keeper)).role.id;
    const userIds = [ben.id, dora.id];
    groupId = (await ann.send('conversation:create', { userIds })).conversation.id;
  });
  after(() => app.close());

  /** Sends a command while another transaction holds the lock of the person's room. */
  async function askWhileBusy<C extends CommandName>({ id }: Person, name: C, input: Input<C>) {
    const sequelize = connectPatiently(app.where, () => Promise.resolve());
    try {
      return await transaction({ sequelize }, async (db) => {
        await query(db, 'select 1 from rooms where id = $1 for update', [id]);
        const answer = await ann.ask(name, input);
        return answer.ok ? 'ok' : answer.error.code;
      });
    } finally {
      await sequelize.close();
    }
  }

  const inputs: { [C in CommandName]?: (userId: string) => Input<C> } = {
    'channel:create': (userId) => ({
      ...{ serverId: place.serverId, name: 'tea', private: true, userIds: [userId] },
    }),
    'channel:addMember': (userId) => ({ channelId: secretId, userId }),
    'conversation:create': (userId) => ({ userIds: [userId] }),
    'conversation:update': (userId) => ({ conversationId: groupId, addUserIds: [userId] }),
    'role:give': (userId) => ({ serverId: place.serverId, userId, roleId: keeperId }),
    'role:take': (userId) => ({ serverId: place.serverId, userId, roleId: keeperId }),
    'server:transfer': (userId) => ({ serverId: place.serverId, userId }),
  };
  for (const name of Object.keys(inputs) as (keyof typeof inputs)[])
    it(`${name}: does not wait for a stranger’s room, and waits for a member’s`, async () => {
      const input = inputs[name] as (userId: string) => Input<CommandName>;
      expect(await askWhileBusy(cem, name, input(cem.id))).to.equal('not_found');
      if (name !== 'conversation:update')
        expect(await askWhileBusy(ben, name, input(ben.id))).to.equal('busy');
    });
});
