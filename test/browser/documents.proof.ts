/** The documents at each width: see support/length.ts. */
import './documents.test.ts';
