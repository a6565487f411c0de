import './notified.test.ts';
