import { z } from 'zod';
import { command, Id, Name, NewId, Nothing, Text, Time, Version } from './contract.ts';
import { entryOf } from './entry.ts';
import { limits } from './limits.ts';

export const ChannelName = Name(limits.channelName);
export const ChannelTopic = Text(limits.channelTopic);

export const Channel = z.strictObject({
  /** Also the id of its timeline. */
  id: Id,
  serverId: Id,
  name: z.string(),
  topic: z.string(),
  /** Its place in the list; lower comes first. */
  position: z.int(),
  createdAt: Time,
  version: Version,
});
export type Channel = z.infer<typeof Channel>;

const One = z.strictObject({ channel: Channel });

export const channelCommands = {
  'channel:create': command({
    summary: 'Creates a channel. For moderators and the owner.',
    input: z.strictObject({
      serverId: Id,
      name: ChannelName,
      id: NewId.optional(),
      topic: ChannelTopic.optional(),
    }),
    output: One,
    rate: 'create',
    http: 'POST /api/servers/[serverId]/channels',
  }),
  'channel:update': command({
    summary: 'Renames a channel or sets its topic. For moderators and the owner.',
    input: z.strictObject({
      channelId: Id,
      name: ChannelName.optional(),
      topic: ChannelTopic.optional(),
    }),
    output: One,
    rate: 'write',
    http: 'PATCH /api/channels/[channelId]',
  }),
  'channel:delete': command({
    summary:
      'Deletes a channel with its messages; never the default one. For moderators and the owner.',
    input: z.strictObject({ channelId: Id }),
    output: Nothing,
    rate: 'write',
    http: 'DELETE /api/channels/[channelId]',
  }),
  'channel:join': command({
    summary: 'Enters a channel’s timeline: its newest messages, and all that follows, live.',
    input: z.strictObject({ channelId: Id, since: Version.optional() }),
    output: entryOf<'timeline'>(),
    rate: 'read',
  }),
  'channel:leave': command({
    summary: 'Stops hearing a channel on this socket.',
    input: z.strictObject({ channelId: Id }),
    output: Nothing,
    rate: 'read',
  }),
};
