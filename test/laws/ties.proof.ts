import './ties.test.ts';
