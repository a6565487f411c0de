import './markdown-steps.test.ts';
