/**
 * How many elements a message may still become. With the text in each it draws about twice as many nodes. Everyone in
 * the channel draws them: 4,000 letters of `|` made 39,000 cells, and each reader's page stood still for ten seconds.
 * Text beyond the budget stays text.
 */
export interface NodeBudget {
  left: number;
}

export const maxElements = 500;
