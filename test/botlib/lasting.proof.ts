/** lasting.test.ts at length: see support/length.ts. */
import './lasting.test.ts';
