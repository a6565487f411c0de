/** state.test.ts at length: see support/length.ts. */
import './state.test.ts';
