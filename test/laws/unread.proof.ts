/** unread.test.ts at length: see support/length.ts. */
import './unread.test.ts';
