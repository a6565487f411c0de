/** Loads notifications on devices where they are on, some time after each sign-in. */
import { device } from './device.svelte.ts';

export async function begin(): Promise<void> {
  if (!device.isOn) return;
  (await import('./desktop.svelte.ts')).watch();
  await (await import('../push/push.ts')).renew();
}
