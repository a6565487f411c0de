/** P9: who reads nothing is closed before much waits for them, and catches up by version when they read again. */
import type { Finding } from '../findings.ts';
import type { Ended } from '../history.ts';

/** Ten seconds without anything going out, and what presence may take until others see it. Milliseconds. */
const closedWithin = 30_000;

export const checkStalls = ({ history }: Ended): Finding[] =>
  history.stalls.flatMap(({ who, at, closed = Infinity, back }): Finding[] => {
    const finding = (text: string): Finding[] => [{ promise: 'P9', kind: 'not closed', text, at }];
    if (closed - at > closedWithin) return finding(`${who} read nothing, and was not closed`);
    return back === undefined ? finding(`${who} did not catch up`) : [];
  });
