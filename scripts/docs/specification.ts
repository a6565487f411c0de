import { commands } from '../../shared/protocol.ts';
import { capabilities, type Capability } from './capabilities.ts';

export function freshSpecification(): string {
  const parts = Object.entries(capabilities).map(
    ([resource, rows]) => `## ${resource}\n\n${header}\n${rows.map(row).join('\n')}`,
  );
  return `${preface}\n\n${parts.join('\n\n')}\n`;
}

const header = '| | Command | HTTP | Changes |\n|---|---|---|---|';

function row({ what, commands: names, changes = [], also }: Capability): string {
  const said = names.map((name) => `\`${name}\``);
  const paths = names.map((name) => {
    const { http } = commands[name];
    return [http ?? []]
      .flat()
      .map((route) => `\`${route}\``)
      .join(', ');
  });
  const rest = [...changes.map((type) => `\`${type}\``), ...(also ? [also] : [])];
  return `| ${what} | ${said.join('<br>')} | ${paths.join('<br>')} | ${rest.join('<br>')} |`;
}

const preface = `<!-- Written by npm run docs -->

# The specification, and what does it

Everything that the interface specification names, beside the command that does it over a socket, the HTTP path of the
same command, and the changes that tell everyone concerned. Identifiers are UUIDs everywhere: anything
else is \`invalid\`, with the field. What a command takes and answers is in [the reference](reference/README.md), and so are
the commands beyond the specification.`;
