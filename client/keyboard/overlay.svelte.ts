/** What the keyboard opened over everything else. */
class Overlay {
  shown = $state<'switcher' | 'shortcuts'>();

  show(what: 'switcher' | 'shortcuts') {
    this.shown = this.shown === what ? undefined : what;
  }

  close() {
    this.shown = undefined;
  }
}

export const overlay = new Overlay();
