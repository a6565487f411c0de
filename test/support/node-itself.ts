import { startApp } from './app.ts';
import type { Described } from './node.ts';

const [described = ''] = process.argv.slice(2);
const { settings, where, rhythm } = JSON.parse(
  Buffer.from(described, 'base64url').toString(),
) as Described;
const { url } = await startApp(settings, where, rhythm);
process.stdout.write(`${url}\n`);
