import './emoji.test.ts';
