import './unread-cases.test.ts';
