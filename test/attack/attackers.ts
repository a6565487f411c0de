import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Counts, Order } from './attackers-itself.ts';

export interface Attackers {
  obey: (order: Order) => Promise<Counts>;
  close: () => void;
  pid: number | undefined;
}

/** @param whose the priority of their work (see priority.ts) */
export function openAttackers(whose: 'hostile' | 'usual'): Attackers {
  const script = fileURLToPath(new URL('attackers-itself.ts', import.meta.url));
  const child = fork(script, [whose], { execArgv: ['--import=tsx'], detached: true });
  const ended = once(child, 'exit').then(() => {
    throw new Error('The process of the attackers exited.');
  });
  ended.catch(() => undefined);
  return {
    async obey(order) {
      const answer = once(child, 'message');
      child.send(order);
      const [{ counts, failure }] = (await Promise.race([answer, ended])) as [
        { counts: Counts; failure?: string },
      ];
      if (failure !== undefined) throw new Error(failure);
      return counts;
    },
    close: () => child.kill('SIGKILL'),
    pid: child.pid,
  };
}
