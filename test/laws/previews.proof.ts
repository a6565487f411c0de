import './previews.test.ts';
