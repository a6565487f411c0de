import './bringing-files.test.ts';
