import './namesakes.test.ts';
