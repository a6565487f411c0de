/** Runs damaged-files.test.ts at full length, with all files: see support/length.ts. */
import './damaged-files.test.ts';
