import './pauses.test.ts';
