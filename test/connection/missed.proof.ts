import './missed.test.ts';
