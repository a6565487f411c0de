/** The accounts of this instance, page by page while an administrator views them. They are in no room’s state. */
import type { AccountGroup, ManagedAccount } from '../../shared/administration.ts';
import { account } from '../accounts/account.svelte.ts';
import { send } from '../session/socket.ts';
import { errorText } from '../ui/error-text.ts';
import { Attempts } from '../session/loaded-list.svelte.ts';

const debounceMs = 250;

export const groupLabels: Record<AccountGroup, string> = {
  guests: 'Guests',
  administrators: 'Administrators',
  suspended: 'Suspended accounts',
};
const isGroup = (value: string): value is AccountGroup => value in groupLabels;

export class ManagedAccounts extends Attempts {
  list = $state.raw<readonly ManagedAccount[]>();
  hasMore = $state(false);
  /** The last reset link. It is shown until the user leaves the page and cannot be requested again. */
  link = $state.raw<{ account: ManagedAccount; url: string }>();

  #query = $state('');
  /** Empty: all accounts. */
  #group = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the changes to rows: a page that was read before one of them can hold the row as it was. */
  #changes = 0;

  get query() {
    return this.#query;
  }

  set query(query: string) {
    this.#query = query;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.load(), debounceMs);
  }

  get group() {
    return this.#group;
  }

  set group(group: string) {
    this.#group = group;
    clearTimeout(this.#timer);
    // Otherwise more rows of this group could be added to those of another.
    this.list = undefined;
    void this.load();
  }

  load = () => this.#page(() => []);

  more = () => this.#page(() => this.list ?? []);

  /** False for actions that the server would refuse, and for the own account, which has its own settings. */
  canManage = ({ id, administers }: ManagedAccount) =>
    id !== account.id &&
    administers !== 'owner' &&
    (administers === undefined || account.administers === 'owner');

  canPromote = ({ kind, administers }: ManagedAccount) =>
    kind === 'registered' && administers === undefined && account.administers === 'owner';

  async reset(managed: ManagedAccount) {
    await this.run(async () => {
      const { secret } = await send('account:reset', { userId: managed.id });
      this.link = { account: managed, url: `${location.origin}/reset#${secret}` };
    });
  }

  async signOut({ id }: ManagedAccount) {
    await send('account:signOut', { userId: id });
    this.#change(id, ({ lastSeenAt: _, ...one }) => one);
  }

  async update({ id }: ManagedAccount, change: { suspended?: boolean; administrator?: boolean }) {
    const { account: now } = await send('account:update', { userId: id, ...change });
    this.#change(id, () => now);
    if (now.suspended && this.link?.account.id === id) this.link = undefined;
  }

  #change(id: string, change: (account: ManagedAccount) => ManagedAccount) {
    this.#changes += 1;
    this.list = this.list?.map((one) => (one.id === id ? change(one) : one));
  }

  /** Ignores all answers except the one to the latest query and group. Repeats a request that a change overtook. */
  async #page(before: () => readonly ManagedAccount[]): Promise<void> {
    const [typed, chosen, changes] = [this.#query, this.#group, this.#changes];
    const isLatest = () => typed === this.#query && chosen === this.#group;
    const query = typed.trim();
    const after = before().at(-1)?.id;
    this.failure = undefined;
    try {
      const page = {
        ...(query && { query }),
        ...(isGroup(chosen) && { group: chosen }),
        ...(after && { after }),
      };
      const { accounts, more } = await send('account:list', page);
      if (!isLatest()) return;
      if (changes === this.#changes) {
        this.list = [...before(), ...accounts];
        this.hasMore = more.after;
      } else await this.#page(before);
    } catch (error) {
      if (isLatest()) this.failure = errorText(error);
    }
  }
}
