/** Ann’s server with a moderator, a member and a guest in it, and shortcuts for moderation. */
import type { TestApp } from '../support/app.ts';
import { openPlace } from '../support/place.ts';

export async function openServerWithRoles(app: TestApp) {
  const [ann, mod, ben, guest] = await Promise.all([
    app.person('Ann'),
    app.person('Mod'),
    app.person('Ben'),
    app.guest('Guest'),
  ]);
  const { serverId, channelId, code } = await openPlace(ann, mod, ben, guest);
  await ann.send('member:update', { serverId, userId: mod.id, role: 'moderator' });

  const targetOf = (person: { id: string }) => ({ serverId, userId: person.id });
  const members = async () => (await ann.send('member:list', { serverId, limit: 100 })).members;
  const memberIds = async () => (await members()).map(({ userId }) => userId);

  return { ann, mod, ben, guest, serverId, channelId, code, targetOf, memberIds };
}

export const codesOf = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.map((it) => (it.status === 'rejected' ? (it.reason as { code: string }).code : 'done'));
