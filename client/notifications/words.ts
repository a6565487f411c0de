import type { Message } from '../../shared/messages.ts';
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf } from '../conversations/naming.ts';
import { parsed } from '../markdown/parsed.ts';
import { wordsOf } from '../../shared/markdown/tree.ts';
import { members } from '../members/members.svelte.ts';
import { namesIn } from '../messages/names.ts';
import { pathTo } from '../routes/routes.ts';
import { servers } from '../servers/servers.svelte.ts';

/** Systems truncate longer text. */
const longest = 300;

export function titleOf({ authorId, timelineId }: Message, serverId: string | undefined): string {
  const author = members.nameOf(serverId, authorId);
  if (serverId !== undefined) {
    const channel = channels.get(serverId, timelineId);
    const server = servers.get(serverId)?.name ?? '';
    // The channel names of a server that was not opened are unknown.
    return channel ? `${author} (#${channel.name}, ${server})` : `${author} (${server})`;
  }
  const conversation = conversations.get(timelineId);
  return conversation?.kind === 'group' ? `${author} (${nameOf(conversation)})` : author;
}

export function textOf({ body, files = [] }: Message, serverId: string | undefined): string {
  const text = wordsOf(parsed(body), namesIn(serverId)) || files.map(({ name }) => name).join(', ');
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : text;
}

export const pathOf = ({ timelineId, position }: Message, serverId: string | undefined): string =>
  pathTo(
    serverId === undefined
      ? { page: 'direct', conversationId: timelineId, position }
      : { page: 'server', serverId, channelId: timelineId, position },
  );
