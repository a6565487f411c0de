/** A server with people and messages: for screenshots, and for measuring how long it takes to show. */
import type { TestApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';

const conversation: [name: string, text: string][] = [
  [
    'Marta Kowalska',
    'Staging runs the new release. The migration took 41 s on the copy of production.',
  ],
  ['Marta Kowalska', 'Graphs: https://grafana.fjordlabs.example/d/9f3c1e/cluster?from=now-6h'],
  ['田中 美咲', 'ステージングで確認しました。通知の遅延は直っています。'],
  ['Jonas Lindqvist', 'The reconnect storm after the rollout is gone too.'],
  ['Sofia Almeida', 'Then we ship on Monday. I’ll move the freeze note and tell support.'],
  ['ليلى حداد', 'صباح الخير! هل يمكننا تأجيل النشر إلى الساعة الثالثة؟'],
  ['Pieter', 'Visiting from the insurance side: does the guest link stay valid after a restart?'],
  ['Marta Kowalska', 'It does. Nothing is lost, and you can claim your account later.'],
];

export interface Furnished {
  reader: Person;
  serverId: string;
  timelineId: string;
  path: string;
}

export async function furnishScreenshots(app: TestApp): Promise<Furnished> {
  const reader = await app.person('Sofia Almeida');
  const { server } = await reader.send('server:create', { name: 'Fjord Labs' });
  const serverId = server.id;
  const names = [
    'announcements',
    'platform',
    'design-review',
    'incidents',
    '東京オフィス',
    'مكتب-عمّان',
  ];
  for (const name of names)
    await reader.send('channel:create', {
      serverId,
      name,
      ...(name === 'platform' ? { topic: 'Cluster, gateway and storage' } : {}),
    });
  const { invite } = await reader.send('invite:create', { serverId });
  const people = new Map<string, Person>([['Sofia Almeida', reader]]);
  const entry = await reader.send('server:open', { serverId });
  const channels = entry.status === 'snapshot' ? entry.state.channels : [];
  const timelineId = channels.find(({ name }) => name === 'platform')?.id ?? '';
  for (const [name, body] of conversation) {
    const arriving = () => (name === 'Pieter' ? app.guest(name) : app.person(name));
    const person = people.get(name) ?? (await arriving());
    if (!people.has(name)) await person.send('server:join', { code: invite.code });
    people.set(name, person);
    await person.send('message:send', { timelineId, body });
  }
  people.get('Jonas Lindqvist')?.close();
  return { reader, serverId, timelineId, path: `/s/${serverId}/${timelineId}` };
}
