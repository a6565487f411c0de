import './avatars.test.ts';
