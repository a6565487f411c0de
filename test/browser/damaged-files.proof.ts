/** All damaged files: see support/length.ts. */
import './damaged-files.test.ts';
