/** The tasks of the command line for operators, by subject. */
import type { Tasks } from './administration/command-line.ts';
import { personTasks } from './administration/tasks.ts';
import { botTasks } from './bots/admin.ts';
import { fileTasks } from './files/tasks.ts';

export const tasks: Tasks = new Map([
  ['person', personTasks],
  ['bot', botTasks],
  ['files', fileTasks],
]);
