import './mentions.test.ts';
