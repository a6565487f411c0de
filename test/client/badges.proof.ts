import './badges.test.ts';
