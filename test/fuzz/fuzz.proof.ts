/** fuzz.test.ts at length: see support/length.ts. */
import './fuzz.test.ts';
