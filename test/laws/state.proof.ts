import './state.test.ts';
