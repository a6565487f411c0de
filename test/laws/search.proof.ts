/** search.test.ts at length: see support/length.ts. */
import './search.test.ts';
