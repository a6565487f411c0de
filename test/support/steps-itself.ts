/**
 * Runs in its own process, and counts the steps of the client's parser for a text: each run of a block of its code in
 * V8, and all that built-in functions pass over for it. Time plays no part, and no part of the parser counts itself.
 */
import { Session, type Profiler } from 'node:inspector';

const folder = '/shared/markdown/';
/** The longest input of a regular expression, because its backtracking cannot be counted. */
const longestForExpressions = 64;

type Method = (this: unknown, ...input: unknown[]) => unknown;
type Listed = string | readonly unknown[];
type Cost = (self: Listed, input: readonly unknown[], output: unknown) => number;

let counts = false;
let passed = 0;
const apply = Reflect.apply;

const lengthOf = (value: unknown) =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0;

const constant: Cost = () => 1;
const made: Cost = (_, __, output) => lengthOf(output);
/** Functions that look at only a part of their input. All others cost the `whole`. */
const cheaper: Record<string, Cost> = {
  ...{ at: constant, charAt: constant, charCodeAt: constant, codePointAt: constant, pop: constant },
  ...{ slice: made, substring: made, repeat: made },
  startsWith: (_, [prefix]) => lengthOf(prefix),
  endsWith: (_, [suffix]) => lengthOf(suffix),
  push: (_, input) => input.length,
  splice: (self, [start], output) => lengthOf(output) + self.length - Number(start),
};
const whole: Cost = (self, input, output) => self.length + lengthOf(output) + lengthOf(input[0]);

function count(prototype: object) {
  for (const name of Reflect.ownKeys(prototype)) {
    const original: unknown = Reflect.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof original !== 'function' || name === 'constructor') continue;
    const cost = (typeof name === 'string' ? cheaper[name] : undefined) ?? whole;
    const counted: Method = function (...input) {
      const output: unknown = apply(original, this, input);
      if (counts) passed += 1 + cost(this as Listed, input, output);
      return output;
    };
    Reflect.defineProperty(prototype, name, { value: counted, writable: true, configurable: true });
  }
}

function countExpressions() {
  const exec = Reflect.get(RegExp.prototype, 'exec') as Method;
  const counted: Method = function (...input) {
    if (counts && lengthOf(input[0]) > longestForExpressions)
      throw new Error(`${String(this)} looks at ${lengthOf(input[0])} characters.`);
    if (counts) passed += 1 + lengthOf(input[0]);
    return apply(exec, this, input);
  };
  Reflect.defineProperty(RegExp.prototype, 'exec', { value: counted, configurable: true });
}

function countAddresses() {
  const Original = URL;
  globalThis.URL = class extends Original {
    constructor(address: string | URL) {
      super(address);
      if (counts) passed += String(address).length;
    }
    static override canParse(address: string) {
      if (counts) passed += address.length;
      return Original.canParse(address);
    }
  };
}

const session = new Session();
session.connect();

/** The blocks of the parser that V8 ran since the last call. */
function blocksRun(): number {
  let run = 0;
  session.post('Profiler.takePreciseCoverage', (failed, { result }) => {
    if (failed) throw failed;
    const scripts = result.filter(({ url }: Profiler.ScriptCoverage) => url.includes(folder));
    for (const { functions } of scripts)
      for (const { ranges } of functions) for (const { count: times } of ranges) run += times;
  });
  return run;
}

session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { readMarkdown } = await import('../../shared/markdown/blocks.ts');
count(String.prototype);
count(Array.prototype);
countExpressions();
countAddresses();

function steps(text: string): number {
  blocksRun();
  passed = 0;
  counts = true;
  try {
    readMarkdown(text);
  } finally {
    counts = false;
  }
  return blocksRun() + passed;
}

process.on('message', (texts: string[]) => {
  try {
    process.send?.({ steps: texts.map(steps) });
  } catch (error) {
    process.send?.({ failure: String(error) });
  }
});
