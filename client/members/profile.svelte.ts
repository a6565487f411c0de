/** Whose card is open, and in which server it was asked for. */
interface Shown {
  userId: string;
  serverId: string;
}

class Profile {
  shown = $state.raw<Shown>();

  show(serverId: string, userId: string) {
    this.shown = { serverId, userId };
  }

  close() {
    this.shown = undefined;
  }
}

export const profile = new Profile();
