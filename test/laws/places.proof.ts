import './places.test.ts';
