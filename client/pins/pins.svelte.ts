import type { Message } from '../../shared/messages.ts';
import { permissionsAmong } from '../../shared/permissions.ts';
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { send } from '../session/socket.ts';

class Pins {
  shown = $state<string>();
  /** Receives rows of the shown timeline, old or new. */
  receive: ((rows: readonly Message[]) => void) | undefined;

  toggle(timelineId: string) {
    this.shown = this.shown === timelineId ? undefined : timelineId;
  }

  close() {
    this.shown = undefined;
  }
}

export const pins = new Pins();

export const canPinIn = (serverId: string | undefined): boolean =>
  serverId === undefined
    ? !!account.you && permissionsAmong(account.you, { isBlocked: false }).has('pin messages')
    : members.canI(serverId, 'pin messages');

export function pin(messageId: string, on: boolean): void {
  send('message:pin', { messageId, on }).catch((error: unknown) => {
    notices.show(errorText(error));
  });
}
