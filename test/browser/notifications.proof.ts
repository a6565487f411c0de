import './notifications.test.ts';
