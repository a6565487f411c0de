import './access.test.ts';
