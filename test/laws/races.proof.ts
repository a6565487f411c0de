/** races.test.ts at length: see support/length.ts. */
import './races.test.ts';
