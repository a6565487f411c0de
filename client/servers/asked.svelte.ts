/** What is asked about a server, and about which: it stays open when the layout changes under it. */
interface Asked {
  what: 'invite' | 'settings' | 'leave';
  serverId: string;
}

class ServerAsked {
  shown = $state.raw<Asked>();

  ask(what: Asked['what'], serverId: string) {
    this.shown = { what, serverId };
  }

  close() {
    this.shown = undefined;
  }
}

export const asked = new ServerAsked();
