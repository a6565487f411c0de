import './push.test.ts';
