import { Hash, Lock, type IconNode } from 'lucide';

export const channelIcon = (channel: { private: boolean }): IconNode =>
  channel.private ? Lock : Hash;
