import './switcher.test.ts';
