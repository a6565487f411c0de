import './races.test.ts';
