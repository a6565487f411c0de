import './room-of-files.test.ts';
