import { dayAndClockAhead } from '../ui/dates.ts';
import { now } from '../ui/now.ts';

/** When a member’s time-out ends, as text; undefined without one. */
export function timeoutOf(member: { timeoutUntil?: string | undefined } | undefined) {
  if (member?.timeoutUntil === undefined) return undefined;
  const until = new Date(member.timeoutUntil);
  return until.getTime() > now() ? dayAndClockAhead(until) : undefined;
}
