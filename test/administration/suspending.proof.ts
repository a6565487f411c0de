import './suspending.test.ts';
