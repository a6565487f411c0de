import type { Input } from '../../shared/protocol.ts';
import { Attempts } from '../session/loaded-list.svelte.ts';
import { notificationSettings } from './settings.svelte.ts';

export class Choosing extends Attempts {
  choose(choice: Input<'notification:set'>) {
    return this.run(() => notificationSettings.choose(choice));
  }
}
