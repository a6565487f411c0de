/** The time, told anew while somebody reads it. */
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

/** Asleep, timers wait: a page that is looked at again looks at the calendar again. */
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
