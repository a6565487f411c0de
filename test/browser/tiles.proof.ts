import './tiles.test.ts';
