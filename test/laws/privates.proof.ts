/** privates.test.ts at length: see support/length.ts. */
import './privates.test.ts';
