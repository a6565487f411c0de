import './newcomers.test.ts';
