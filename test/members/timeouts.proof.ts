import './timeouts.test.ts';
