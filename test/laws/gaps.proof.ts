import './gaps.test.ts';
