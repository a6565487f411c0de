/** P9: a client that reads nothing is closed before much data waits for it, and later catches up by version. */
import type { Finding } from '../findings.ts';
import type { Ended } from '../history.ts';

/** Milliseconds: 10 s without outgoing data, and the time until others see the presence. */
const closedWithin = 30_000;

export const checkStalls = ({ history }: Ended): Finding[] =>
  history.stalls.flatMap(({ who, at, closed = Infinity, back }): Finding[] => {
    const finding = (text: string): Finding[] => [{ promise: 'P9', kind: 'not closed', text, at }];
    if (closed - at > closedWithin) return finding(`${who} read nothing, and was not closed`);
    return back === undefined ? finding(`${who} did not catch up`) : [];
  });
