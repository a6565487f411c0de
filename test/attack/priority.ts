import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const { PRIORITY_HIGHEST, PRIORITY_NORMAL, PRIORITY_LOW } = constants.priority;
const priorities = { honest: PRIORITY_HIGHEST, usual: PRIORITY_NORMAL, hostile: PRIORITY_LOW };

/**
 * Honest people and attackers stand for many other machines, so their work must slow no node. Honest people come first,
 * so that they measure their waits and not each other. Attackers get the time that nobody else uses.
 */
export function takePriority(whose: keyof typeof priorities): void {
  const priority = priorities[whose];
  // Linux weighs sessions before processes (autogroup), and attackers lead a session of their own.
  for (const set of [
    () => setPriority(priority),
    () => writeFileSync('/proc/self/autogroup', String(priority)),
  ])
    try {
      set();
    } catch {
      // Only root can raise priorities, and not every system has autogroups.
    }
}
