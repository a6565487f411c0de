import './catching-up.test.ts';
