/** Opens the place in the address: enters its rooms, and chooses a channel if the address names none. */
import { untrack } from 'svelte';
import { ChatError } from '../../shared/failure.ts';
import { serverRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { channels } from '../channels/channels.svelte.ts';
import { connection } from '../connection/connection.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { isTimelineMuted } from '../notifications/muting.ts';
import { reads } from '../reads/reads.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { sync } from '../session/room-store.ts';
import { onePane } from '../ui/media.svelte.ts';
import { navigation } from './navigation.svelte.ts';
import { visit, visitDirect, visited } from './visited.ts';

export class Opening {
  failure = $state.raw<{ room: Room; text: string; absent: boolean }>();

  readonly #place = $derived(navigation.place);
  readonly serverId = $derived(this.#place.page === 'server' ? this.#place.serverId : undefined);
  readonly channelId = $derived(this.#place.page === 'server' ? this.#place.channelId : undefined);
  /** The message in the address; a new object for each visit. */
  readonly address = $derived(
    'position' in this.#place ? { position: this.#place.position } : undefined,
  );
  readonly server = $derived(
    this.serverId && servers.has(this.serverId) ? servers.get(this.serverId) : undefined,
  );
  readonly channel = $derived(
    this.serverId && this.channelId ? channels.get(this.serverId, this.channelId) : undefined,
  );
  readonly conversationId = $derived(
    this.#place.page === 'direct' ? this.#place.conversationId : undefined,
  );
  readonly conversation = $derived(
    this.conversationId ? conversations.get(this.conversationId) : undefined,
  );
  /** True if the channels or conversations are known and the one in the address is not among them. */
  readonly absent = $derived(
    servers.areListed &&
      ((this.conversationId !== undefined && !this.conversation) ||
        (this.serverId !== undefined &&
          (!servers.has(this.serverId) ||
            (this.channelId !== undefined && !!channels.of(this.serverId) && !this.channel)))),
  );

  readonly #belongs = $derived(this.server !== undefined);
  readonly #present = $derived(this.channel !== undefined);
  readonly #partakes = $derived(this.conversation !== undefined);

  /** Must be called while a component initializes. Ends with that component. */
  watch() {
    $effect(() => {
      if (account.id && this.serverId && this.#belongs) this.open(serverRoom(this.serverId));
    });
    $effect(() => {
      const { channelId, serverId } = this;
      if (!account.id || !channelId || !serverId || !this.#present) return;
      this.open(timelineRoom(channelId));
      visit(serverId, channelId);
      return () => {
        sync.leave(timelineRoom(channelId));
      };
    });
    $effect(() => {
      const { conversationId } = this;
      if (!account.id || !conversationId || !this.#partakes) return;
      this.open(timelineRoom(conversationId));
      visitDirect(conversationId);
      return () => {
        sync.leave(timelineRoom(conversationId));
      };
    });
    $effect(() => {
      this.#redirect();
    });
    // Tries again once connected, because the failure can have been due to the connection.
    $effect(() => {
      if (connection.state.is !== 'ready') return;
      const failure = untrack(() => this.failure);
      if (failure && !failure.absent) this.open(failure.room);
    });
  }

  open(room: Room) {
    if (this.failure?.room === room) this.failure = undefined;
    sync.enter(room).catch((error: unknown) => {
      const absent = error instanceof ChatError && error.code === 'not_found';
      this.failure = { room, text: errorText(error), absent };
    });
  }

  /** Redirects home to a server, and a server to a channel; on a narrow screen the latter only the first time. */
  #redirect() {
    if (this.#place.page === 'home') {
      const { serverId } = visited();
      const last = servers.mine.find(({ id }) => id === serverId);
      const to = last ?? servers.mine.find(({ id }) => this.#hasUnread(id)) ?? servers.mine[0];
      if (to) navigation.replace({ page: 'server', serverId: to.id });
    } else if (this.server && !this.channelId) {
      const { id: serverId } = this.server;
      const last = visited().channels[serverId];
      if (onePane.current && last !== undefined) return;
      const list = channels.of(serverId) ?? [];
      const to = list.find(({ id }) => id === last) ?? this.#arrival(list);
      if (to) navigation.replace({ page: 'server', serverId, channelId: to.id });
    }
  }

  #hasUnread = (serverId: string) =>
    reads.anyIn(serverId, (timelineId) => isTimelineMuted(timelineId, serverId));

  #arrival<C extends { id: string }>(list: C[]): C | undefined {
    return list.find(({ id }) => id === this.server?.defaultChannelId) ?? list[0];
  }
}
