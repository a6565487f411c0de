import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { onePane } from './ui/one-pane.js';

/** @type {import('svelte/compiler').PreprocessorGroup} */
const customMedia = {
  name: 'custom media',
  style: ({ content }) => ({ code: content.replaceAll('(--one-pane)', onePane) }),
};

export default {
  compilerOptions: { runes: true },
  // Styles are plain CSS. Vite processes them after Svelte has scoped their selectors.
  preprocess: [vitePreprocess({ style: false }), customMedia],
};
