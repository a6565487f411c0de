import { Hash, Lock, Megaphone, type IconNode } from 'lucide';

export const channelIcon = (channel: {
  private: boolean;
  announcements?: true | undefined;
}): IconNode => (channel.private ? Lock : channel.announcements ? Megaphone : Hash);
