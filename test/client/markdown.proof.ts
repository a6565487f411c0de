/** markdown.test.ts at length: see support/length.ts. */
import './markdown.test.ts';
