import { lazy } from './lazy.ts';

export const partFailed = {
  title: 'Part of Parley didn’t load',
  text: 'The connection failed, or Parley was updated. Reload to try again.',
};

export const PartFailed = lazy(() => import('./PartFailed.svelte'));

/** Shows a text if the dialog for a failed component fails as well. Set by the notices of client/navigation/. */
export const fallbackNotice: { show: (text: string) => void } = { show: () => undefined };
