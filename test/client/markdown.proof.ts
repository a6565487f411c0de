import './markdown.test.ts';
