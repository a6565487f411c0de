/** Something that happened to what was on the screen, told once, until it is read. */
class Notices {
  current = $state<string>();

  tell(text: string) {
    this.current = text;
  }

  dismiss() {
    this.current = undefined;
  }
}

export const notices = new Notices();
