import './sending-files.test.ts';
