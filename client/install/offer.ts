/** Offers to install the app on this device, once the person has used Parley here on several days. */
import { asRecord, load, save } from '../device/storage.ts';
import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';

/** Chromium’s event, kept by public/theme.js. */
interface InstallPrompt {
  /** Shows the browser’s own question. */
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

const key = 'install';
const daysBefore = 3;

interface Remembered {
  /** The days on which Parley was used here, up to `daysBefore`. */
  days: string[];
  /** True after an answer: the question does not return. */
  isAnswered: boolean;
}

function remembered(): Remembered {
  const { days, isAnswered } = asRecord(load(key));
  return {
    days: Array.isArray(days) ? days.filter((day) => typeof day === 'string') : [],
    isAnswered: isAnswered === true,
  };
}

const InstallHint = lazy(() => import('./InstallHint.svelte'));

export function offerInstall(): void {
  const { days, isAnswered } = remembered();
  if (isAnswered || isInstalled()) return;
  const used = [...new Set([...days, today()])].slice(-daysBefore);
  save(key, { days: used, isAnswered } satisfies Remembered);
  if (used.length < daysBefore) return;
  const { installPrompt } = globalThis as { installPrompt?: InstallPrompt };
  if (installPrompt) overlay.open(InstallHint, () => ({ install: () => installPrompt.prompt() }));
  else if (isAppleTouch()) overlay.open(InstallHint, () => ({ install: undefined }));
}

export function answerInstall(): void {
  save(key, { days: [], isAnswered: true } satisfies Remembered);
}

const today = () => new Date().toDateString();

const isInstalled = () => matchMedia('(display-mode: standalone)').matches;

/** Safari on phones and tablets, where only its own menu installs. `standalone` exists nowhere else. */
const isAppleTouch = () => 'standalone' in navigator && navigator.standalone === false;
