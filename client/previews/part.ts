import type { MessagePart } from '../messages/part.ts';
import MessagePreviews from './MessagePreviews.svelte';

export const previewPart: MessagePart = { Below: MessagePreviews };
