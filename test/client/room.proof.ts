/** room.test.ts at length: see support/length.ts. */
import './room.test.ts';
