/** gaps.test.ts at length: see support/length.ts. */
import './gaps.test.ts';
