import './privates.test.ts';
