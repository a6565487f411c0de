/** ties.test.ts at length: see support/length.ts. */
import './ties.test.ts';
