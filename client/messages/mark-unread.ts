import type { Message } from '../../shared/messages.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { markUnread } from '../reads/mark-read.ts';
import { errorText } from '../ui/error-text.ts';

export async function markUnreadFrom(message: Message | undefined): Promise<void> {
  try {
    if (message) await markUnread(message.timelineId, message.position);
  } catch (error) {
    notices.show(errorText(error));
  }
}
