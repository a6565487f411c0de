/** A conversation file: one JSON object per line, in chronological order. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Body } from '../../shared/messages.ts';

const when = {
  day: z.iso.date(),
  time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time is HH:MM.'),
  nick: z.string().min(1),
};

const Line = z.discriminatedUnion('type', [
  z.strictObject({ ...when, type: z.literal('message'), text: z.string() }),
  z.strictObject({ ...when, type: z.literal('action'), text: z.string() }),
  z.strictObject({ ...when, type: z.literal('join'), text: z.string().optional() }),
  z.strictObject({ ...when, type: z.literal('leave'), text: z.string().optional() }),
]);
export type ScriptLine = z.infer<typeof Line>;

const maxListed = 10;

/** Reads the whole file or throws, because skipped lines would compare as lost messages. */
export async function readLines(path: string): Promise<ScriptLine[]> {
  return parseLines(await readFile(path, 'utf8'));
}

/** @throws Error with the numbers of the bad lines, from 1 */
export function parseLines(text: string): ScriptLine[] {
  const parsed = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => Line.safeParse(json(line)));
  const problems = parsed.flatMap(({ error }, index) =>
    error === undefined ? [] : [`  line ${index + 1}: ${inWords(error)}`],
  );
  if (problems.length > 0) {
    const more = problems.length - maxListed;
    const listed = [...problems.slice(0, maxListed), ...(more > 0 ? [`  and ${more} more`] : [])];
    throw new Error(`Invalid lines in the conversation file:\n${listed.join('\n')}`);
  }
  return parsed.flatMap(({ data }) => (data === undefined ? [] : [data]));
}

/** Returns undefined for invalid JSON, which the schema rejects. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const inWords = ({ issues }: z.ZodError) =>
  issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');

/** The message body of a line; undefined for a join or leave, and for a text that Parley refuses. */
export const spoken = (line: ScriptLine): string | undefined => Body.safeParse(text(line)).data;

/** True when the line has a text that Parley refuses, such as a single space, which IRC allows. */
export const isRefused = (line: ScriptLine): boolean =>
  text(line) !== undefined && spoken(line) === undefined;

function text(line: ScriptLine): string | undefined {
  if (line.type === 'message') return line.text;
  return line.type === 'action' ? `_${line.text}_` : undefined;
}
