import './announcements.test.ts';
