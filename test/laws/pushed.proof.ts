import './pushed.test.ts';
