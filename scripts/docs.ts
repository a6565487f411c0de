/** Writes the parts of the documents that the code knows: `npm run docs`. A test fails when they drift. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { variables } from '../server/config.ts';

const readme = fileURLToPath(new URL('../README.md', import.meta.url));

/** The README as it should be now. */
export function freshReadme(): string {
  const block = `<!-- settings: written by npm run docs -->\n\n${settings()}\n\n<!-- /settings -->`;
  return currentReadme().replace(/<!-- settings:[^]*<!-- \/settings -->/, () => block);
}

export const currentReadme = () => readFileSync(readme, 'utf8');

function settings(): string {
  const lines = Object.entries(variables).map(([name, variable]) => {
    const preset: string | number | undefined = variable.schema.safeParse(undefined).data;
    const file = 'secret' in variable ? `, or \`${name}_FILE\`` : '';
    return `- \`${name}\`${file}: ${variable.help}${preset === undefined ? '' : ` (\`${preset}\`)`}`;
  });
  return lines.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(readme, freshReadme());
