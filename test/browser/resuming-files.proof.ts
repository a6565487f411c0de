import './resuming-files.test.ts';
