/** The text for a component that fails to load, and the dialog that shows it. */
import { lazy } from './lazy.ts';

export const partFailed = {
  title: 'Part of Parley didn’t load',
  text: 'The connection failed, or Parley was updated. Reload to try again.',
};

export const PartFailed = lazy(() => import('./PartFailed.svelte'));

/** Shows a text if that dialog fails to load as well. The notices of client/navigation/ set it. */
export const lastResort: { tell: (text: string) => void } = { tell: () => undefined };
