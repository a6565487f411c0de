import { Flag } from 'lucide';
import type { Message } from '../../shared/messages.ts';
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';
import type { MessagePart, MessageTarget } from '../messages/part.ts';
import { servers } from '../servers/servers.svelte.ts';
import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';

const ReportMessage = lazy(() => import('./ReportMessage.svelte'));

export const reportPart: MessagePart = {
  actions: ({ line: { message }, serverId }: MessageTarget) =>
    serverId !== undefined && message && canReport(serverId, message)
      ? [
          {
            ...{ label: 'Report…', icon: Flag, look: 'plain', isLate: true },
            act: () => {
              ask(serverId, message);
            },
          },
        ]
      : [],
};

/** The owner receives the reports, so they make none, and none is about them. */
const canReport = (serverId: string, { authorId }: Message) =>
  authorId !== account.id &&
  [authorId, account.id].every((id) => members.get(serverId, id)?.role !== 'owner');

function ask(serverId: string, message: Message) {
  overlay.open(ReportMessage, () => (servers.has(serverId) ? { message, serverId } : undefined));
}
