/** naughty.test.ts at length: see support/length.ts. */
import './naughty.test.ts';
