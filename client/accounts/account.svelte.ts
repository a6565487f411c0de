/** Oneself, as `ready` told it and what was heard since. */
import type { Account } from '../../shared/accounts.ts';
import type { InstanceRole } from '../../shared/administration.ts';
import type { Person } from '../../shared/people.ts';
import { send } from '../session/socket.ts';

class Me {
  you = $state.raw<Account>();
  /** What I am to the whole of this Parley, as I connected. */
  administers = $state.raw<InstanceRole>();

  /** Derived: what depends on who I am begins not anew because I am told again. */
  readonly id = $derived(this.you?.id ?? '');
  readonly isGuest = $derived(this.you?.kind === 'guest');

  /** What is told of people may be about me: I have changed it on another device. */
  hear({ id, name, username = null, kind, rev }: Person | Account) {
    if (this.you?.id === id && this.you.rev < rev)
      this.you = { ...this.you, name, username, kind, rev };
  }

  async rename(displayName: string) {
    this.hear((await send('user:update', { displayName })).user);
  }
}

export const account = new Me();
