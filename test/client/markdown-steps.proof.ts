/** markdown-steps.test.ts at length: see support/length.ts. */
import './markdown-steps.test.ts';
