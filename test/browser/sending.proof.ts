import './sending.test.ts';
