/**
 * The number of elements that a message can still become; with their texts, pages draw about twice as many nodes.
 * Everyone in the channel draws them: 4,000 letters of `|` made 39,000 cells, and froze each reader’s page for ten
 * seconds. Text beyond the budget stays text.
 */
export interface NodeBudget {
  left: number;
}

export const maxElements = 500;
