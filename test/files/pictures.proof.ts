import './pictures.test.ts';
