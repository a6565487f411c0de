import './writing.test.ts';
