import './presence.test.ts';
