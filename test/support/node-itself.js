/** Uses the build, because it starts in half the time of the source. */
import process from 'node:process';

const server = new URL('../../dist/server/', import.meta.url);

/** @param {string} path @returns {Promise<unknown>} */
const built = (path) => import(new URL(path, server).href);

const { createApp } = /** @type {typeof import('../../server/app.ts')} */ (await built('app.js'));
const { parseConfig } = /** @type {typeof import('../../server/config.ts')} */ (
  await built('config.js')
);
const { openLog } = /** @type {typeof import('../../server/node/log.ts')} */ (
  await built('node/log.js')
);
const [given = ''] = process.argv.slice(2);
/** @type {unknown} */
const described = JSON.parse(Buffer.from(given, 'base64url').toString());
const { settings, where, timing } = /** @type {import('./node.ts').Described} */ (described);
const { config } = parseConfig(settings);
const { url } = await createApp(config, openLog(config), where, timing);
process.stdout.write(`${url}\n`);
