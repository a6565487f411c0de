import type { z } from 'zod';
import { ChatError } from '../../shared/failure.ts';

/** A form that does not match its schema. Names all invalid fields at once. */
export class FormProblem extends ChatError {
  readonly fields: Record<string, string>;

  constructor(fields: Record<string, string>, message: string) {
    const [field] = Object.keys(fields);
    super('invalid', message, { field });
    this.fields = fields;
  }
}

/** @throws FormProblem */
export function readForm<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const issue of result.error.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')];
    for (const name of names.filter((name) => name !== '')) fields[name] ??= issue.message;
  }
  throw new FormProblem(fields, result.error.issues[0]?.message ?? 'That value isn’t allowed.');
}
