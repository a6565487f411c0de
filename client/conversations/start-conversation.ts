import { ChatError } from '../../shared/failure.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { conversations } from './conversations.svelte.ts';

const refused = 'You can’t message this person. You need a shared server, or to be friends.';

export async function writeTo(userId: string): Promise<void> {
  try {
    const { id } = await conversations.create([userId]);
    navigation.go({ page: 'direct', conversationId: id });
  } catch (error) {
    const isStranger = error instanceof ChatError && error.code === 'not_found';
    notices.show(isStranger ? refused : errorText(error));
  }
}
