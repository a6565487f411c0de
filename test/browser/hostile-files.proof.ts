/** hostile-files.test.ts at length: see support/length.ts. */
import './hostile-files.test.ts';
