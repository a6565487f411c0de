import './mentions-names.test.ts';
