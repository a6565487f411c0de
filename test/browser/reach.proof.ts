import './reach.test.ts';
