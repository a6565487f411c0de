import './guests.test.ts';
