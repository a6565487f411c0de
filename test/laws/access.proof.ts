/** access.test.ts at length: see support/length.ts. */
import './access.test.ts';
