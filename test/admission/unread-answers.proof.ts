/** unread-answers.test.ts at length: see support/length.ts. */
import './unread-answers.test.ts';
