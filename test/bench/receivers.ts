import type { ClientSocket } from '../support/person.ts';

export class Receivers {
  readonly #saidAt = new Map<string, number>();
  #waits: number[] = [];
  /** Messages received that no `hear` has asked for yet. */
  #received = 0;
  #asked = Infinity;
  #answer: () => void = () => undefined;

  listen(socket: ClientSocket): void {
    socket.on('changes', ({ changes }) => {
      const now = performance.now();
      for (const change of changes) {
        if (change.type !== 'message:created') continue;
        this.#received += 1;
        const saidAt = this.#saidAt.get(change.message.id);
        if (saidAt !== undefined) this.#waits.push(now - saidAt);
      }
      this.#settle();
    });
  }

  noteSaid(messageId: string): void {
    this.#saidAt.set(messageId, performance.now());
  }

  /** Resolves after this number of messages, with the delays of those that were sent here. */
  receive(deliveries: number): Promise<number[]> {
    return new Promise((resolve) => {
      this.#asked = deliveries;
      this.#answer = () => resolve(this.#waits.splice(0));
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#received < this.#asked) return;
    this.#received -= this.#asked;
    this.#asked = Infinity;
    this.#saidAt.clear();
    this.#answer();
  }
}
