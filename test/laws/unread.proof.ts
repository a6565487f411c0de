import './unread.test.ts';
