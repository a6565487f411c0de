import { setTimeout as sleep } from 'node:timers/promises';
import type { Answers } from '../realtime/chat-socket.ts';

/** How long `end` waits for answers, in milliseconds: a revoked session must be closed within two seconds in all. */
const answerTimeoutMs = 500;

export function openAnswers(): Answers {
  const under = new Set<Promise<void>>();
  let ended = false;
  return {
    get ended() {
      return ended;
    },
    add(answer) {
      under.add(answer);
      const forget = () => under.delete(answer);
      void answer.then(forget, forget);
    },
    async end() {
      ended = true;
      if (under.size === 0) return;
      const tooLong = sleep(answerTimeoutMs, undefined, { ref: false });
      await Promise.race([Promise.all(under), tooLong]);
    },
  };
}
