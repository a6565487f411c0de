/** Generates inputs from the contract's schemas, by walking Zod's definitions, and ones with mistakes, by a seed. */
import { z } from 'zod';

export interface Random {
  /** Both bounds are possible. */
  int(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
  chance(probability: number): boolean;
}

/** Mulberry32: small, fast, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const real = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (low: number, high: number) => low + Math.floor(real() * (high - low + 1));
  return {
    int,
    pick: (from) => from[int(0, from.length - 1)]!,
    chance: (probability) => real() < probability,
  };
}

/** Supplies a real value for a key: an existing id, a valid code. Undefined means to generate one. */
export type Supply = (key: string, random: Random) => unknown;

/** Returns an input that `schema` accepts. @throws Error for an unknown kind of schema: add it below */
export function generate(
  schema: z.core.$ZodType,
  random: Random,
  supply: Supply = () => undefined,
): unknown {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    // Refinements cannot be walked, so each value is validated. Plain text satisfies all of them.
    const value = make(schema, { random, supply, key: '', plain: attempt > 5 });
    if (z.safeParse(schema, value).success) return value;
  }
  throw new Error(
    `generated no valid value: ${JSON.stringify(make(schema, { random, supply, key: '', plain: true }))}`,
  );
}

interface Making {
  random: Random;
  supply: Supply;
  key: string;
  plain: boolean;
}

function make(type: z.core.$ZodType, making: Making): unknown {
  const { random, supply, key } = making;
  if (type instanceof z.ZodOptional)
    return random.chance(0.5) ? undefined : make(type.unwrap(), making);
  const supplied = key === '' || random.chance(0.1) ? undefined : supply(key, random);
  if (supplied !== undefined) return supplied;
  if (type instanceof z.ZodNullable) return random.chance(0.3) ? null : make(type.unwrap(), making);
  if (type instanceof z.ZodCustom) return Buffer.from('bytes of a file');
  if (type instanceof z.ZodPipe) return make(type.in, making);
  if (type instanceof z.ZodObject) return makeObject(type, making);
  if (type instanceof z.ZodArray) return times(random.int(0, 3), () => make(type.element, making));
  if (type instanceof z.ZodRecord)
    return Object.fromEntries(
      times(random.int(0, 3), () => [
        // Keys of `rooms` are generated as `room`.
        make(type.keyType, { ...making, key: key.replace(/s$/, '') }),
        make(type.valueType, { ...making, key: '' }),
      ]),
    );
  if (type instanceof z.ZodTemplateLiteral) return makeByTemplate(type, making);
  if (type instanceof z.ZodUnion) return make(random.pick(type.options), making);
  if (type instanceof z.ZodEnum) return random.pick(type.options);
  if (type instanceof z.ZodLiteral) return random.pick([...type.values]);
  if (type instanceof z.ZodBoolean) return random.chance(0.5);
  if (type instanceof z.ZodNumber) return makeNumber(type, random);
  if (type instanceof z.ZodUUID) return uuid(random, type._zod.def.version === 'v7' ? '7' : '4');
  if (type instanceof z.ZodISODateTime)
    return new Date(random.int(0, 4_000_000_000) * 1_000).toISOString();
  if (type instanceof z.ZodString || type instanceof z.ZodURL) return makeText(type, making);
  throw new Error(`no generator for ${type._zod.def.type}`);
}

/** Leaves out keys with undefined values, as JSON does. */
function makeObject({ shape }: z.ZodObject, making: Making): object {
  const types = Object.entries<z.core.$ZodType>(shape);
  const entries = types.map(([key, type]) => [key, make(type, { ...making, key })]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as object;
}

function makeNumber({ minValue, maxValue }: z.ZodNumber, random: Random): number {
  const low = minValue ?? 0;
  const high = maxValue ?? Number.MAX_SAFE_INTEGER;
  // Mostly small: positions and versions that exist.
  return random.pick([
    low,
    Math.min(high, low + 1),
    random.int(low, Math.min(high, low + 60)),
    high,
  ]);
}

function makeByTemplate({ _zod }: z.ZodTemplateLiteral, making: Making): string {
  const parts = _zod.def.parts as (z.core.$ZodType | string)[];
  return parts
    .map((part) => (typeof part === 'string' ? part : String(make(part, { ...making, key: '' }))))
    .join('');
}

const letters = Array.from('abcdefghijklmnopqrstuvwxyz');

const samples = [
  'Hello, all',
  'שלום, 世界 👩‍👩‍👧',
  'O’Brien; DROP TABLE messages; --',
  'a\tb\nc',
  '%s $1 :name ${x} {{y}}',
  '<img src=x onerror=alert(1)>',
  '\u0065\u0301te\u0301 \ufb01n',
  '__proto__',
  '🏳️‍🌈'.repeat(8),
];

function makeText(type: z.ZodString | z.ZodURL, { random, plain }: Making): string {
  const { minLength, maxLength } = type;
  const { examples = [] } = (type.meta() ?? {}) as { examples?: string[] };
  if (plain && examples.length > 0) return random.pick(examples);
  if (!plain && random.chance(0.7)) return random.pick(samples);
  const low = Math.max(minLength ?? 0, 8);
  const length = random.int(low, Math.min(low + 20, maxLength ?? Infinity));
  return times(length, () => random.pick(letters)).join('');
}

const hex = (random: Random, digits: number) =>
  times(digits, () => random.int(0, 15).toString(16)).join('');

export const uuid = (random: Random, version: '4' | '7') =>
  [8, 4, 4, 4, 12]
    .map((digits) => hex(random, digits))
    .join('-')
    .replace(/^(.{14})./, `$1${version}`)
    .replace(/^(.{19})./, '$1a');

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Returns `value` with one to three mistakes. */
export function mutate(value: unknown, random: Random): unknown {
  let wrong = value;
  // Mostly one, because two mistakes are refused for the plainer reason.
  for (let change = random.pick([1, 1, 2, 3]); change > 0; change -= 1)
    wrong = corrupt(wrong, random);
  return wrong;
}

/** Spoils a nested value mostly, and the whole sometimes. */
function corrupt(value: unknown, random: Random): unknown {
  if (!isObject(value) || random.chance(0.05)) return nonsense(random);
  const copy = { ...value };
  const keys = Object.keys(copy);
  const key = keys.length === 0 ? undefined : random.pick(keys);
  if (key === undefined || random.chance(0.15))
    return put(copy, random.pick(unusualKeys), nonsense(random));
  if (random.chance(0.1)) {
    Reflect.deleteProperty(copy, key);
    return copy;
  }
  return put(copy, key, corruptValue(copy[key], random));
}

function corruptValue(value: unknown, random: Random): unknown {
  if (isObject(value)) return corrupt(value, random);
  if (random.chance(0.1)) return [value];
  if (typeof value !== 'string' || random.chance(0.3)) return nonsense(random);
  return random.pick([
    value.toUpperCase(),
    ` ${value}`,
    `${value}\0`,
    `${value}\ud800`,
    `${value}\u202e`,
    value.slice(1),
    value.repeat(40).slice(0, 5_000),
  ]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Defines an own key, because `copy['__proto__'] = …` would set the prototype. */
export function put(copy: object, key: string, value: unknown): object {
  return Object.defineProperty(copy, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

export const unusualKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
  'toJSON',
  'length',
  'id',
  'role',
  'isAdmin',
  'authorId',
  'createdAt',
  'version',
  'extra',
  '',
  '\0',
  '\ud800',
  '0',
];

/** A value that no command accepts. Values outside JSON arrive in their JSON form. */
export function nonsense(random: Random): unknown {
  return random.pick(makers)(random);
}

const makers: ((random: Random) => unknown)[] = [
  () => null,
  () => undefined,
  () => NaN,
  () => -1,
  () => 1.5,
  () => 2 ** 53 + 2,
  () => -(2 ** 63),
  () => 1e308,
  () => true,
  () => '',
  () => ' \u2003\n',
  () => '\0',
  () => '\udfff\ud800',
  () => '1e3',
  () => "' or 1 = 1 --",
  () => '../../etc/passwd',
  (random) => uuid(random, '4').replaceAll('-', ''),
  (random) => `{${uuid(random, '7')}}`,
  (random) => '🧨'.repeat(random.int(1, 600)),
  (random) => 'x'.repeat(random.int(1, 5_000)),
  () => [],
  () => [[], {}, null],
  () => ({}),
  () => ({ ne: '' }),
  () => ({ length: 99 }),
  () => ({ length: { valueOf: null, toString: null } }),
  () => JSON.parse('{"__proto__":{"polluted":true}}') as unknown,
  () => JSON.parse('{"constructor":{"prototype":{"polluted":true}}}') as unknown,
  () => JSON.parse('{"toString":1,"valueOf":null,"toJSON":1}') as unknown,
  (random) => nested(random.int(2, 200)),
  () => Buffer.from('binary'),
];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
