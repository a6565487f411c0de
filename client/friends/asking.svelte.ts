/** What is being asked about somebody. Held above everything else: the row that it came from may move or go. */
type Question = 'ask' | 'note' | 'nickname' | 'end' | 'block';

class Asking {
  shown = $state.raw<{ question: Question; userId: string }>();

  open(question: Question, userId: string) {
    this.shown = { question, userId };
  }

  close() {
    this.shown = undefined;
  }
}

export const asking = new Asking();
