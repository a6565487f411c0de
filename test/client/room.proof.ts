import './room.test.ts';
