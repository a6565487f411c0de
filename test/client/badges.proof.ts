/** badges.test.ts at length: see support/length.ts. */
import './badges.test.ts';
