/** Elements of one message. With the text in each it draws about twice as many nodes. */
const mostElements = 500;

/**
 * Bounds the nodes that a message becomes, because everyone in the channel draws them: 4,000 letters of `|` made 39,000
 * cells, and each reader's page stood still for ten seconds. Text beyond the budget stays text.
 */
export class NodeBudget {
  #left = mostElements;

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  take(elements: number): void {
    this.#left -= elements;
  }
}
