/** The checker: compares the record of a run with the database. Pure. */
import { checkAccess } from './checks/access.ts';
import { checkAcknowledged } from './checks/acknowledged.ts';
import { checkAlive } from './checks/alive.ts';
import { checkFailovers } from './checks/failovers.ts';
import { checkHealed } from './checks/healed.ts';
import { checkOnce } from './checks/once.ts';
import { checkOrder } from './checks/order.ts';
import { checkPresence } from './checks/presence.ts';
import { checkSame } from './checks/same.ts';
import { checkSessions } from './checks/sessions.ts';
import { checkStalls } from './checks/stalls.ts';
import type { Finding } from './findings.ts';
import type { Ended } from './history.ts';
import { lastingPart } from './lasting.ts';

export const check = (ended: Ended): Finding[] => [
  ...checkFailovers(ended),
  ...checkLasting(lastingPart(ended)),
];

const checkLasting = (ended: Ended): Finding[] =>
  [
    checkAcknowledged,
    checkOnce,
    checkOrder,
    checkSame,
    checkHealed,
    checkAccess,
    checkSessions,
    checkPresence,
    checkAlive,
    checkStalls,
  ].flatMap((one) => one(ended));

/** True when all clients hold what the database has, and see the correct presence. The end of a run waits for it. */
export const isSettled = (ended: Ended): boolean =>
  checkSame(ended).length + checkPresence(ended).length === 0;
