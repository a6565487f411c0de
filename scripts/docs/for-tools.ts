/** Writes the contract for tools, which every Parley serves under /docs: part of each build, never committed. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freshAsyncApi } from './asyncapi.ts';
import { freshOpenApi } from './openapi.ts';
import { freshSchema } from './shapes.ts';

export const contractFiles = {
  'openapi.json': freshOpenApi,
  'asyncapi.json': freshAsyncApi,
  'schema.json': freshSchema,
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, fresh] of Object.entries(contractFiles))
    writeFileSync(fileURLToPath(new URL(`../../dist/docs/${name}`, import.meta.url)), fresh());
