/** mentions.test.ts at length: see support/length.ts. */
import './mentions.test.ts';
