import './desktop.test.ts';
