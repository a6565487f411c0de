import './delivery.test.ts';
