/** The user’s sidebar lists, which all of their devices have. */
import { inOrder, withPlaced } from '../../shared/placing.ts';
import type { Input } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { SidebarList, SidebarListName } from '../../shared/sidebar.ts';
import { account } from '../accounts/account.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

type Move = Input<'sidebar:place'> & { gone?: boolean };

class Sidebar {
  readonly rows = new RowsByRoom<SidebarList>(({ list }) => list);
  /** Moves that the server has not answered. They are shown already. */
  #moves = $state.raw<readonly Move[]>([]);
  #last: Promise<unknown> = Promise.resolve();

  ids(list: SidebarListName): readonly string[] {
    return this.#moved(list, this.#stored(list));
  }

  /** Returns all of these: the ordered ones first, then the others in their order. */
  order(list: SidebarListName, all: readonly string[]): readonly string[] {
    return this.#moved(list, inOrder(this.#stored(list), all));
  }

  has(list: SidebarListName, id: string): boolean {
    return this.ids(list).includes(id);
  }

  /** Before another entry, or at the end. @throws ChatError; the list then stays unchanged */
  place(list: SidebarListName, targetId: string, before?: string): Promise<void> {
    const move = { list, targetId, before };
    return this.#during(move, () => send('sidebar:place', move));
  }

  remove(list: SidebarListName, targetId: string): Promise<void> {
    const target = { list, targetId };
    return this.#during({ ...target, gone: true }, () => send('sidebar:remove', target));
  }

  /** Stays as the user chose on this page, even if saving it fails. */
  collapse(categoryId: string, isCollapsed: boolean): Promise<void> {
    const target = { list: 'collapsed', targetId: categoryId } as const;
    const save = () =>
      isCollapsed ? send('sidebar:place', target) : send('sidebar:remove', target);
    return this.#during({ ...target, gone: !isCollapsed }, save, 'kept');
  }

  async #during(
    move: Move,
    act: () => Promise<{ sidebarList: SidebarList }>,
    ifRefused: 'undone' | 'kept' = 'undone',
  ) {
    this.#begin(move);
    // One at a time, because the server can run two commands in another order.
    const answer = this.#last.then(act);
    this.#last = answer.catch(() => undefined);
    try {
      const { sidebarList } = await answer;
      this.rows.apply(userRoom(account.id), [{ row: sidebarList }]);
    } catch (error) {
      if (ifRefused === 'kept') return;
      this.#end(move);
      throw error;
    }
    this.#end(move);
  }

  /** Replaces earlier moves of the same entry. */
  #begin(move: Move) {
    const others = this.#moves.filter(
      ({ list, targetId }) => list !== move.list || targetId !== move.targetId,
    );
    this.#moves = [...others, move];
  }

  #end(move: Move) {
    this.#moves = this.#moves.filter((one) => one !== move);
  }

  #stored(list: SidebarListName): readonly string[] {
    return this.rows.in(userRoom(account.id))?.get(list)?.ids ?? [];
  }

  #moved(list: SidebarListName, ids: readonly string[]): readonly string[] {
    return this.#moves
      .filter((move) => move.list === list)
      .reduce(
        (now, { targetId: id, before, gone }) =>
          gone ? now.filter((one) => one !== id) : withPlaced(now, { id, before }),
        ids,
      );
  }
}

export const sidebar = new Sidebar();
