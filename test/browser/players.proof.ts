import './players.test.ts';
