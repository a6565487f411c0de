import './kicked.test.ts';
