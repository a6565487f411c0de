/** Whose card is open, and in which server it was asked for, if in one. */
interface Shown {
  userId: string;
  serverId: string | undefined;
}

class Profile {
  shown = $state.raw<Shown>();

  show(serverId: string | undefined, userId: string) {
    this.shown = { serverId, userId };
  }

  close() {
    this.shown = undefined;
  }
}

export const profile = new Profile();
