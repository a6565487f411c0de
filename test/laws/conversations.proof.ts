/** conversations.test.ts at length: see support/length.ts. */
import './conversations.test.ts';
