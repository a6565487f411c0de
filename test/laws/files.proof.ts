import './files.test.ts';
