/** Whose work comes first where all share the processors of one machine. */
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_HIGHEST, PRIORITY_NORMAL, PRIORITY_LOW } = constants.priority;
const priorities = { honest: PRIORITY_HIGHEST, usual: PRIORITY_NORMAL, hostile: PRIORITY_LOW };

/**
 * Honest people and attackers stand for many machines elsewhere: what these work must slow no node. So honest people
 * measure what they wait for, and not each other, and attackers have the time that nobody else wants.
 */
export function takePriority(whose: keyof typeof priorities): void {
  const priority = priorities[whose];
  // Linux weighs sessions before processes where it groups them (autogroup): attackers lead one of their own.
  for (const set of [
    () => setPriority(priority),
    () => writeFileSync('/proc/self/autogroup', String(priority)),
  ])
    try {
      set();
    } catch {
      // Only root may come before others, and not everywhere are there such groups.
    }
}
