/** Going to where one writes to somebody. */
import { navigation } from '../navigation/navigation.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { words } from '../session/error-text.ts';
import { conversations } from './conversations.svelte.ts';

export async function writeTo(userId: string): Promise<void> {
  try {
    const { id } = await conversations.create([userId]);
    navigation.go({ page: 'direct', conversationId: id });
  } catch (error) {
    notices.tell(words(error));
  }
}
