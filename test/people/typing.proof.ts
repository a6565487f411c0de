import './typing.test.ts';
