/** For operators: `npm run admin -- person …`, `-- bot …`, `-- files …` or `-- restored`. See command-line.ts. */
import { runCommandLine } from './command-line.ts';
import { openLog } from './node/log.ts';

const { code, stdout, stderr } = await runCommandLine(process.argv.slice(2), process.env, openLog);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
