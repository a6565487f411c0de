/** The time, told anew each second while somebody reads it. */
import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1_000);
  return () => {
    clearInterval(timer);
  };
});

export function now(): number {
  subscribe();
  return Date.now();
}
