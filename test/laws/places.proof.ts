/** places.test.ts at length: see support/length.ts. */
import './places.test.ts';
