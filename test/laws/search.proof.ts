import './search.test.ts';
