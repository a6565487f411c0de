/** The current time as reactive state, updated while something reads it. */
import { createSubscriber } from 'svelte/reactivity';

const eachSecond = createSubscriber((update) => {
  const timer = setInterval(update, 1_000);
  return () => {
    clearInterval(timer);
  };
});

export function now(): number {
  eachSecond();
  return Date.now();
}

/** Also updates when the page becomes visible, because timers stop while a device sleeps. */
const eachDay = createSubscriber((update) => {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = setTimeout(() => {
      update();
      wait();
    }, untilMidnight(new Date()));
  };
  wait();
  document.addEventListener('visibilitychange', update);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', update);
  };
});

const untilMidnight = (at: Date) =>
  new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1).getTime() - at.getTime();

export function today(): Date {
  eachDay();
  return new Date();
}
