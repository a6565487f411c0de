/** The people with accounts: the owner, whose account is the visitor’s, a moderator and a friend. */
import { v7 } from 'uuid';
import { signIn } from '../../test/replay/sign-in.ts';
import type { SenderIdentity } from '../../test/replay/sender.ts';
import { ReplayConnection } from '../../test/replay/connection.ts';

export const names = { mika: 'Mika Lehtonen', jonas: 'Jonas Lindqvist', priya: 'Priya Raman' };
export type RegularName = keyof typeof names;
export const ownerName = 'mika' satisfies RegularName;

export interface Regular extends SenderIdentity {
  visitor: ReplayConnection;
}
export type Regulars = Record<RegularName, Regular>;

export async function register(
  url: string,
  username: RegularName,
  invite: string,
): Promise<Regular> {
  const { user, cookie } = await signIn(url, 'register', {
    username,
    // Never used again: the owner chooses another by a link, and the others stay signed in.
    password: v7() + v7(),
    displayName: names[username],
    invite,
  });
  return { id: user.id, cookie, visitor: new ReplayConnection(url, cookie) };
}

export const say = ({ visitor }: Regular, timelineId: string, body: string) =>
  visitor.ask('message:send', { timelineId, id: v7(), body });

/** Leaves the owner one unread thing of each kind: a mention, messages, a group, a request, a private channel. */
export async function leaveWord(
  regulars: Regulars,
  serverId: string,
  helpId: string,
): Promise<void> {
  const { mika, jonas, priya } = regulars;
  const { channel } = await mika.visitor.ask('channel:create', {
    serverId,
    name: 'moderators',
    topic: 'Only moderators see this',
    private: true,
    userIds: [jonas.id],
  });
  await say(mika, channel.id, 'This is where we talk about what happens in the others.');
  await say(jonas, channel.id, 'All calm today. One wrong link in #hardware, and it’s gone.');
  await befriend(mika, jonas);
  const { conversation } = await mika.visitor.ask('conversation:create', { userIds: [jonas.id] });
  await say(mika, conversation.id, 'Can you look after #help while I’m away?');
  await say(jonas, conversation.id, 'Of course. Enjoy your day off!');
  await say(
    jonas,
    conversation.id,
    'When you’re back: someone asked about **dual monitors** again.',
  );
  await priya.visitor.ask('friendRequest:create', {
    userId: mika.id,
    note: 'We met at the release party',
  });
  const party = { name: 'Release party', userIds: [jonas.id, priya.id] };
  const group = (await mika.visitor.ask('conversation:create', party)).conversation;
  await say(mika, group.id, 'Friday at six?');
  await say(priya, group.id, 'Friday works. I’ll bring cake.');
  await say(jonas, helpId, `<@${mika.id}> people keep asking for drivers. Shall we pin an answer?`);
}

async function befriend(one: Regular, other: Regular): Promise<void> {
  await one.visitor.ask('friendRequest:create', { userId: other.id });
  await other.visitor.ask('friendship:create', { userId: one.id });
}
