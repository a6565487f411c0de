import './handshake.test.ts';
