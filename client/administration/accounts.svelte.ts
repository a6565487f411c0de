/** The accounts of this Parley, a page at a time, while an administrator looks at them. They are no room state. */
import type { ManagedAccount } from '../../shared/administration.ts';
import { account } from '../accounts/account.svelte.ts';
import { send } from '../session/socket.ts';
import { words } from '../session/error-text.ts';

/** In milliseconds. */
const pause = 250;

export class ManagedAccounts {
  list = $state.raw<readonly ManagedAccount[]>();
  hasMore = $state(false);
  failure = $state<string>();
  /** The last link that was made, shown until the page is left: nobody can ask for it again. */
  link = $state.raw<{ account: ManagedAccount; url: string }>();

  #query = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  get query() {
    return this.#query;
  }

  set query(query: string) {
    this.#query = query;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.load(), pause);
  }

  /** The first page of those who are sought. */
  load = () => this.#page([]);

  more = () => this.#page(this.list ?? []);

  /** What the server would refuse is not offered; and for oneself there are the other settings. */
  canManage = ({ id, administers }: ManagedAccount) =>
    id !== account.id &&
    administers !== 'owner' &&
    (administers === undefined || account.administers === 'owner');

  async reset(managed: ManagedAccount) {
    this.failure = undefined;
    try {
      const { secret } = await send('account:reset', { userId: managed.id });
      this.link = { account: managed, url: `${location.origin}/reset#${secret}` };
    } catch (error) {
      this.failure = words(error);
    }
  }

  async signOut({ id }: ManagedAccount) {
    await send('account:signOut', { userId: id });
  }

  async update({ id }: ManagedAccount, change: { suspended?: boolean; administrator?: boolean }) {
    const { account: now } = await send('account:update', { userId: id, ...change });
    this.list = this.list?.map((one) => (one.id === id ? now : one));
    if (now.suspended && this.link?.account.id === id) this.link = undefined;
  }

  /** Only the answer to what was asked last counts. */
  async #page(before: readonly ManagedAccount[]) {
    const typed = this.#query;
    const query = typed.trim();
    const after = before.at(-1)?.id;
    this.failure = undefined;
    try {
      const page = { ...(query && { query }), ...(after && { after }) };
      const { accounts, more } = await send('account:list', page);
      if (typed !== this.#query) return;
      this.list = [...before, ...accounts];
      this.hasMore = more.after;
    } catch (error) {
      if (typed === this.#query) this.failure = words(error);
    }
  }
}
