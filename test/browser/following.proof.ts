import './following.test.ts';
