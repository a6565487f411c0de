import './hostile-files.test.ts';
