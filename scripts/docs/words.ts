import type { Shape } from './shapes.ts';

export const fieldRows = ({ properties = {}, required = [] }: Shape): string[][] =>
  Object.entries(properties).map(([name, value]) => [
    `\`${name}\``,
    wordsFor(value as Shape),
    required.includes(name) ? '' : 'optional',
  ]);

export function markdownTable(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function wordsFor(shape: Shape): string {
  const { $ref, anyOf, oneOf, items } = shape;
  if ($ref !== undefined) return linkTo($ref.slice(1));
  if (anyOf ?? oneOf) return (anyOf ?? oneOf ?? []).map((one) => wordsFor(one)).join(' or ');
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``;
  if (shape.enum !== undefined)
    return shape.enum.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  if (shape.type === 'array')
    return `list of ${wordsFor(items as Shape)}${range(shape.minItems, shape.maxItems, '')}`;
  if (shape.type === 'object') return object(shape);
  if (shape.type === 'string') return text(shape);
  if (shape.type === 'integer') return `whole number${range(shape.minimum, shape.maximum, '')}`;
  // Bytes have no type in JSON Schema.
  return String(shape.type ?? 'bytes');
}

function linkTo(name: string): string {
  if (name === 'Change' || name.endsWith('.change')) return '[change](#changes)';
  // The answer of a command can be part of another’s.
  const [noun = '', verb = '', output] = name.split('.');
  if (output === 'output') return `output of [${noun}:${verb}](#${`${noun}${verb}`.toLowerCase()})`;
  return `[${name}](#${name.toLowerCase()})`;
}

function object({ properties, required = [], propertyNames, additionalProperties }: Shape): string {
  if (properties === undefined) {
    const key = wordsFor((propertyNames ?? { type: 'string' }) as Shape);
    return `object, by ${key}: ${wordsFor(additionalProperties as Shape)}`;
  }
  const inside = Object.entries(properties).map(
    ([name, value]) => `${name}${required.includes(name) ? '' : '?'}: ${wordsFor(value as Shape)}`,
  );
  return `{ ${inside.join(', ')} }`;
}

function text({ format, pattern, minLength, maxLength }: Shape): string {
  const kinds: Record<string, string> = { uuid: 'UUID', 'date-time': 'time, as ISO 8601 in UTC' };
  if (format !== undefined) {
    const version = pattern === undefined ? '' : ', version 7';
    return `${kinds[format] ?? format}${version}`;
  }
  const like = pattern === undefined ? '' : `, like \`${pattern.replaceAll('|', '\\|')}\``;
  return `text${range(minLength, maxLength, ' characters')}${like}`;
}

function range(low: number | undefined, high: number | undefined, of: string): string {
  if (low !== undefined && high !== undefined) return `, ${low} to ${high}${of}`;
  if (high !== undefined) return `, at most ${high}${of}`;
  return low === undefined ? '' : `, at least ${low}${of}`;
}
