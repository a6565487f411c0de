/** files.test.ts at length: see support/length.ts. */
import './files.test.ts';
