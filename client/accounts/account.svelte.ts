/** Oneself, as `ready` told it. */
import type { Account } from '../../shared/accounts.ts';

class Me {
  you = $state.raw<Account>();

  get id(): string {
    return this.you?.id ?? '';
  }

  get isGuest(): boolean {
    return this.you?.kind === 'guest';
  }
}

export const account = new Me();
