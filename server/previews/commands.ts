import type { previewCommands } from '../../shared/previews.ts';
import { changePart } from '../messages/messages.ts';
import type { Handlers } from '../caller.ts';
import { removalWriter } from './writers.ts';

export const previewHandlers: Handlers<keyof typeof previewCommands> = {
  'preview:remove': (caller, { messageId, link }) =>
    changePart(caller, removalWriter, messageId, { link }),
};
