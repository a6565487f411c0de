import './slow-mode.test.ts';
