/** Finds every PersonId in a value, by its schema, so that no one is named without their profile being sent along. */
import type { z } from 'zod';
import { changeSchema, rows, type Change } from './changes.ts';
import { PersonId } from './contract.ts';
import { AnyChange, State } from './entry.ts';
import { changeShapes } from './rooms.ts';

type Finder = (value: unknown) => string[];

/** Undefined: no value of the schema names anyone. */
const finders = new Map<z.core.$ZodType, Finder | undefined>();

/** Returns a function that finds the ids of people in a value of this schema. Ids can repeat. */
export const personIdsIn = <T extends z.ZodType>(schema: T): ((value: z.output<T>) => string[]) =>
  finderOf(schema) ?? (() => []);

export const personIdsInChange = (change: Change): string[] =>
  change.type in changeShapes ? personIdsIn(schemaOf(change.type))(change) : [];

const schemas = new Map<string, z.ZodType>();

function schemaOf(type: Change['type']): z.ZodType {
  const schema = schemas.get(type) ?? changeSchema(type);
  schemas.set(type, schema);
  return schema;
}

function finderOf(schema: z.core.$ZodType): Finder | undefined {
  if (!finders.has(schema)) finders.set(schema, makeFinder(schema));
  return finders.get(schema);
}

function makeFinder(schema: z.core.$ZodType): Finder | undefined {
  if (schema === PersonId) return (id) => [id as string];
  // Loose in the contract, where rows and changes would make an import cycle.
  if (schema === State) return (state) => Object.entries(state as object).flatMap(findInSlice);
  if (schema === AnyChange) return (change) => personIdsInChange(change as Change);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return fieldsFinder(Object.entries(def.shape));
    case 'array':
      return each(finderOf(def.element), (list) => list as unknown[]);
    case 'record':
      return joined([
        each(finderOf(def.keyType), (record) => Object.keys(record as object)),
        each(finderOf(def.valueType), (record) => Object.values(record as object)),
      ]);
    case 'union':
      // Fields that the value lacks are undefined, so every option can search it.
      return joined(def.options.map(finderOf));
    case 'nullable':
    case 'optional':
      return ifGiven(finderOf(def.innerType));
    case 'pipe':
      return finderOf(def.in);
    default:
      return undefined;
  }
}

const findInSlice = ([slice, found]: [string, unknown]): string[] =>
  slice in rows
    ? (found as unknown[]).flatMap(personIdsIn<z.ZodType>(rows[slice as keyof typeof rows]))
    : [];

function fieldsFinder(fields: [string, z.core.$ZodType][]): Finder | undefined {
  return joined(
    fields.map(([key, field]) => {
      const find = ifGiven(finderOf(field));
      return find && ((value) => find((value as Record<string, unknown>)[key]));
    }),
  );
}

const ifGiven = (find: Finder | undefined): Finder | undefined =>
  find && ((value) => (value === undefined || value === null ? [] : find(value)));

const each = (
  find: Finder | undefined,
  partsOf: (value: unknown) => unknown[],
): Finder | undefined => find && ((value) => partsOf(value).flatMap(find));

function joined(all: (Finder | undefined)[]): Finder | undefined {
  const finders = all.filter((find) => find !== undefined);
  if (finders.length === 0) return undefined;
  return (value) => finders.flatMap((find) => find(value));
}
