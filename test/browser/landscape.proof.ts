import './landscape.test.ts';
