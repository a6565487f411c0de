/** Writes brotli and gzip copies of built files, so that the server need not compress them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const textual = ['.html', '.js', '.css', '.svg', '.json', '.webmanifest'];
/** In bytes. A smaller file fits one packet anyway. */
const worthwhile = 1_000;

/** @param {string} folder */
export function compressAll(folder) {
  for (const name of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (!textual.includes(extname(name))) continue;
    const path = join(folder, name);
    const content = readFileSync(path);
    if (content.length < worthwhile) continue;
    writeFileSync(`${path}.br`, brotli(content));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** @param {Buffer} content */
export const brotli = (content) =>
  brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
