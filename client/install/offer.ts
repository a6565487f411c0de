/**
 * Makes the app installable, and offers to install it on this device once the person has used Parley here on several
 * days.
 */
import { asRecord, load, save } from '../device/storage.ts';
import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';

/** Chromium’s `beforeinstallprompt` event. */
interface InstallPrompt extends Event {
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

let prompt: InstallPrompt | undefined;
/** True if the days of use suffice. */
let isDue = false;

addEventListener('beforeinstallprompt', (event) => {
  // Prevents the browser’s own install prompt.
  event.preventDefault();
  prompt = event as InstallPrompt;
  offer();
});
// Adds the manifest after the listener, because Chromium sends the event once, after it finds the manifest. The sign-in
// page does not need it.
document.head.append(
  Object.assign(document.createElement('link'), { rel: 'manifest', href: '/app.webmanifest' }),
);

const InstallHint = lazy(() => import('./InstallHint.svelte'));

/** Records today as a day of use, and offers to install the app after `daysBefore` days. */
export function offerInstall(): void {
  const { days, isAnswered } = remembered();
  if (isAnswered || isInstalled()) return;
  const used = [...new Set([...days, today()])].slice(-daysBefore);
  save(key, { days: used, isAnswered } satisfies Remembered);
  isDue = used.length === daysBefore;
  offer();
}

function offer(): void {
  if (isDue && (prompt || isAppleTouch()))
    overlay.open(InstallHint, () => ({ install: prompt && (async () => prompt?.prompt()) }));
}

export function answerInstall(): void {
  isDue = false;
  save(key, { days: [], isAnswered: true } satisfies Remembered);
}

const today = () => new Date().toDateString();

const isInstalled = () => matchMedia('(display-mode: standalone)').matches;

/** Safari on phones and tablets, where only its own menu installs. `standalone` exists nowhere else. */
const isAppleTouch = () => 'standalone' in navigator && navigator.standalone === false;
