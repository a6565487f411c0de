import type { channelCommands } from '../../shared/channels.ts';
import type { Handlers } from '../caller.ts';
import { addChannelMember, removeChannelMember } from './private-members.ts';
import {
  createChannel,
  deleteChannel,
  joinChannel,
  leaveChannel,
  updateChannel,
} from './managing.ts';
import { searchChannels } from './search.ts';

export const channelHandlers: Handlers<keyof typeof channelCommands> = {
  'channel:search': async (caller, input) => ({ channels: await searchChannels(caller, input) }),
  'channel:create': async (caller, input) => ({ channel: await createChannel(caller, input) }),
  'channel:update': async (caller, input) => ({ channel: await updateChannel(caller, input) }),
  'channel:delete': (caller, input) => deleteChannel(caller, input),
  'channel:addMember': (caller, input) => addChannelMember(caller, input),
  'channel:removeMember': (caller, input) => removeChannelMember(caller, input),
  'channel:join': (caller, input) => joinChannel(caller, input),
  'channel:leave': (caller, input) => leaveChannel(caller, input),
};
