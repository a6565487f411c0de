/** Writes the generated parts of the documents: `npm run docs`. A test fails if they are outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { variables } from '../server/config.ts';
import { freshExperience } from './docs/experience.ts';
import { freshSpecification } from './docs/specification.ts';
import { freshReference } from './docs/reference.ts';
import { freshTexts } from './docs/texts.ts';
import { freshWire } from './docs/wire.ts';

export const freshDocuments: Record<string, () => string> = {
  'docs/configuration.md': freshConfiguration,
  'docs/experience.md': freshExperience,
  'docs/specification.md': freshSpecification,
  'docs/texts.md': freshTexts,
  'docs/wire.md': freshWire,
  'docs/reference/README.md': freshReference,
};

const pathOf = (document: string) => fileURLToPath(new URL(`../${document}`, import.meta.url));
export const current = (document: string) => readFileSync(pathOf(document), 'utf8');

function freshConfiguration(): string {
  const block = `<!-- settings: written by npm run docs -->\n\n${settings()}\n\n<!-- /settings -->`;
  return current('docs/configuration.md').replace(
    /<!-- settings:[^]*<!-- \/settings -->/,
    () => block,
  );
}

function settings(): string {
  const lines = Object.entries(variables).map(([name, variable]) => {
    const preset = variable.schema.safeParse(undefined).data?.toString();
    const file = 'secret' in variable ? `, or \`${name}_FILE\`` : '';
    return `- \`${name}\`${file}: ${variable.help}${preset === undefined ? '' : ` (\`${preset}\`)`}`;
  });
  return lines.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [document, fresh] of Object.entries(freshDocuments))
    writeFileSync(pathOf(document), fresh());
