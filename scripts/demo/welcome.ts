import type { Change } from '../../shared/changes.ts';
import { ReplayConnection } from '../../test/replay/connection.ts';
import type { DemoPlace } from './place.ts';
import { say } from './regulars.ts';

/** The most people who wait for a welcome, so that welcomes do not drown a conversation when a crowd joins. */
const maxWaiting = 5;

/** `newcomers` is called repeatedly. It welcomes the people who joined since its last call. */
export function openWelcome(url: string, { regulars, serverId, arrivalId, people }: DemoPlace) {
  const identity = regulars.jonas;
  if (identity === undefined) throw new Error('The demo has no account that welcomes newcomers.');
  const met = new Set([...Object.values(regulars), ...Object.values(people)].map(({ id }) => id));
  const waiting: string[] = [];
  let isIn = false;

  const meet = (change: Change) => {
    if (change.type !== 'member:joined' || met.has(change.member.userId)) return;
    met.add(change.member.userId);
    if (waiting.length < maxWaiting) waiting.push(change.member.userId);
  };
  const visitor = new ReplayConnection(url, identity.cookie);
  visitor.connection.on('ready', () => (isIn = false));
  visitor.connection.on('changes', ({ changes }) => changes.forEach(meet));
  const jonas = { ...identity, visitor };

  const newcomers = async () => {
    await visitor.open();
    if (!isIn) await visitor.ask('server:open', { serverId });
    isIn = true;
    for (const userId of waiting.splice(0)) {
      await say(jonas, arrivalId, `Welcome, <@${userId}>! Ask anything, or just read along.`);
      const { conversation } = await visitor.ask('conversation:create', { userIds: [userId] });
      await say(jonas, conversation.id, 'Hi! I keep order here. Write to me if you need anything.');
    }
  };
  return { newcomers, close: () => visitor.close() };
}
