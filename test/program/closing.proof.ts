/** closing.test.ts at length: see support/length.ts. */
import './closing.test.ts';
