/**
 * `npm run admin -- person …`, `-- bot …`, `-- files …`, or `-- restored`: for operators.
 * command-line.ts does what is asked, and says how it ends.
 */
import { runCommandLine } from './command-line.ts';
import { openLog } from './node/log.ts';

const { code, stdout, stderr } = await runCommandLine(process.argv.slice(2), process.env, openLog);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
