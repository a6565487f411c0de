/** The user's own account, from `ready` and later changes. */
import type { Account } from '../../shared/accounts.ts';
import type { InstanceRole } from '../../shared/administration.ts';
import type { Person } from '../../shared/people.ts';
import type { Input } from '../../shared/protocol.ts';
import { renewed } from '../../shared/renewed-account.ts';
import { send } from '../session/socket.ts';

class Me {
  you = $state.raw<Account>();
  /** The user's role on the instance, as of the last connection. */
  administers = $state.raw<InstanceRole>();
  /** Whether the user can create servers, as of the last connection. */
  canCreateServers = $state(false);

  /** Derived, so that effects which depend on the id do not run again when the account is received again. */
  readonly id = $derived(this.you?.id ?? '');
  readonly isGuest = $derived(this.you?.kind === 'guest');

  /** A person in a change can be this user, changed on another device. */
  receive(person: Person | Account) {
    if (this.you?.id === person.id && this.you.rev < person.rev)
      this.you = renewed(this.you, person);
  }

  async update(what: Input<'user:update'>) {
    this.receive((await send('user:update', what)).user);
  }
}

export const account = new Me();
