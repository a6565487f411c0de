import './raid.test.ts';
