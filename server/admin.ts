/**
 * `npm run admin -- person …`, `-- bot …`, `-- files …`, or `-- restored`: for operators.
 * administration/command-line.ts does what is asked, and says how it ends.
 */
import { runCommandLine } from './administration/command-line.ts';
import { tasks } from './admin-tasks.ts';
import { openLog } from './node/log.ts';

const { code, stdout, stderr } = await runCommandLine(
  tasks,
  process.argv.slice(2),
  process.env,
  openLog,
);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
