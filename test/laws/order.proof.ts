/** order.test.ts at length: see support/length.ts. */
import './order.test.ts';
