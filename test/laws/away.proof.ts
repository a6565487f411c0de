import './away.test.ts';
