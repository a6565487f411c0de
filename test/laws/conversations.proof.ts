import './conversations.test.ts';
