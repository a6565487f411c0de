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

# The specification, and its implementation

Everything that the interface specification names, with the command for it over a socket, the HTTP path of that command,
and the changes that are sent to everyone affected. All identifiers are UUIDs; any other value is refused as \`invalid\`,
with the field. [The reference](reference/README.md) has the input and the answer of each command, and the commands beyond
the specification.`;
