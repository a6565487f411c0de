import { readFileSync } from 'node:fs';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { InstanceSettings } from '../shared/administration.ts';
import { StartupProblem } from './startup.ts';

const number = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const Origin = z
  .url({ protocol: /^https?$/ })
  .refine(
    (url) => new URL(url).pathname === '/',
    'must consist of a scheme, a host and optionally a port',
  )
  .transform((url) => new URL(url).origin);
const Origins = z
  .string()
  .transform((list) => list.split(',').map((one) => one.trim()))
  .pipe(z.array(Origin).max(100));
const ObjectStoreUrl = z
  .url({ protocol: /^s3$/, hostname: /^[a-z\d][a-z\d.-]+$/ })
  .refine(
    (url) => isKnown(new URL(url).searchParams),
    'only the parameters endpoint and region are allowed',
  )
  .refine(
    (url) =>
      z
        .url({ protocol: /^https?$/ })
        .optional()
        .safeParse(endpointIn(url)).success,
    'endpoint must be an http or https address',
  );

const isKnown = (parameters: URLSearchParams) =>
  [...parameters.keys()].every((name) => name === 'endpoint' || name === 'region');
const endpointIn = (url: string) => new URL(url).searchParams.get('endpoint') ?? undefined;

/** Administrators change these in the settings, unless the variable is set. */
const inSettings = InstanceSettings.shape;

/** Every variable: schema with default, help text, and whether `NAME_FILE` can name a file that holds it (`secret`). */
export const variables = {
  PORT: { schema: number(0, 65_535).default(3_000), help: 'the port to listen on' },
  HOST: { schema: z.string().min(1).default('0.0.0.0'), help: 'the address to listen on' },
  PUBLIC_URL: {
    schema: Origin.optional(),
    help: 'the address people use; without it, only localhost, IP addresses and this machine’s own name work. https makes cookies Secure; required in production',
  },
  PARLEY_DATA: {
    schema: z.string().min(1).default('./data'),
    help: 'where the embedded PostgreSQL keeps its data',
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    help: 'a PostgreSQL to use instead of the embedded one',
    secret: true,
  },
  REDIS_URL: {
    schema: z.url({ protocol: /^rediss?$/ }).optional(),
    help: 'a Redis that connects several nodes; not needed for a single node',
    secret: true,
  },
  PARLEY_REDIS_PREFIX: {
    schema: z.string().min(1).default('parley:'),
    help: 'prefix of all keys and channels in Redis; must differ between installations that share a Redis',
  },
  SESSION_SECRET: {
    schema: z.string().min(32, 'must have at least 32 characters').optional(),
    help: 'the secret that signs cookies; by default generated once and stored in the database',
    secret: true,
  },
  TRUST_PROXY: {
    schema: number(0, 10).default(0),
    help: 'number of reverse proxies in front of Parley that set X-Forwarded-For',
  },
  LOG_LEVEL: {
    schema: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug']).default('warn'),
    help: 'the lowest level that is logged',
  },
  PARLEY_METRICS: {
    schema: z
      .string()
      .regex(/^[^\s/]+:\d+$/, 'must be a host and a port, such as 127.0.0.1:9464')
      .optional(),
    help: 'host:port where metrics for Prometheus are served, separate from the public port; off by default',
  },
  NODE_ENV: {
    schema: z.string().default('development'),
    help: 'production writes the log as JSON, and requires PUBLIC_URL',
  },
  PARLEY_REGISTRATION: {
    schema: inSettings.registration.optional(),
    help: 'who can register: everyone (open, the default), people with an invite link (invite), or no one (closed); if set, it can’t be changed in Parley',
  },
  PARLEY_GUESTS: {
    schema: inSettings.guests.optional(),
    help: 'who can join as a guest: everyone (open, the default), people with an invite link (invite), or no one (closed); if set, it can’t be changed in Parley',
  },
  PARLEY_SERVER_CREATION: {
    schema: inSettings.serverCreation.optional(),
    help: 'who can create servers: everyone with an account (everyone, the default), or only administrators (administrators); if set, it can’t be changed in Parley',
  },
  PARLEY_NAME: {
    schema: inSettings.name.transform((name) => name || undefined).optional(),
    help: 'the name on the sign-in page; none by default; if set, it can’t be changed in Parley',
  },
  PARLEY_GUEST_DAYS: {
    schema: number(1, 36_500).default(30),
    help: 'days after its last session until a guest account is deleted; its messages stay, under “Former guest”',
  },
  PARLEY_LOBBY: {
    schema: z.enum(['on', 'all', 'off']).default('on'),
    help: 'which new accounts join the first server: on (all except guests invited to another server), all, or off (none, and there’s no first server)',
  },
  PARLEY_DRAIN_SECONDS: {
    schema: number(0, 300).default(0),
    help: 'how long a stopping node takes to move its clients to other nodes, in seconds',
  },
  PARLEY_RATE_SCALE: {
    schema: z.coerce.number().min(0.001).max(1_000_000).default(1),
    help: 'multiplies all rate limits, for load tests',
  },
  PARLEY_LARGE_SERVER: {
    schema: number(1, 1_000_000).default(2_000),
    help: 'a server with more members than this counts as large, until it has fewer than four fifths of that; clients are then sent only its owner and moderators, not all members',
  },
  PARLEY_AUDIT_DAYS: {
    schema: number(1, 3_650).default(90),
    help: 'how many days the audit log keeps its entries',
  },
  PARLEY_FILES: {
    schema: ObjectStoreUrl.optional(),
    help: 'an S3-compatible store that finished files move to, as s3://bucket/prefix?endpoint=https://…&region=…, with the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; without it, files stay in the database',
  },
  PARLEY_FILES_IN: {
    schema: z.enum(['store', 'database']).default('store'),
    help: 'where finished files are kept if PARLEY_FILES is set: in that store (store), or in the database (database); files that are elsewhere are moved',
  },
  PARLEY_FILE_MB: {
    schema: number(0, 1_024).default(25),
    help: 'the largest file people can upload, in MB; 0 turns uploads off',
  },
  PARLEY_FILE_DAY_MB: {
    schema: number(1, 1_000_000).default(500),
    help: 'how much one person can upload in a day, in MB; all guests of one network share one such limit',
  },
  PARLEY_FILES_GB: {
    schema: number(1, 1_000_000).default(10),
    help: 'the maximum total size of all files, in GB',
  },
  PARLEY_PUSH_SERVICES: {
    schema: Origins.optional(),
    help: 'push services to accept besides those of Chrome, Firefox, Safari and Edge, as addresses separated by commas; they can be in your own network',
  },
  PARLEY_PREVIEWS: {
    schema: z.enum(['on', 'off']).default('on'),
    help: 'whether the server reads linked pages to show previews of them (on or off)',
  },
  PARLEY_PREVIEW_SITES: {
    schema: Origins.optional(),
    help: 'sites in your own network that previews can read, such as a wiki, as addresses separated by commas; other sites must have a public address and use the default port',
  },
  PARLEY_PASSWORD_COST: {
    schema: number(4, 16).default(12),
    help: 'the cost of bcrypt; each step doubles the work',
  },
} satisfies Record<string, { schema: z.ZodType; help: string; secret?: boolean }>;

type Variables = typeof variables;
export type Config = { [V in keyof Variables]: z.output<Variables[V]['schema']> };

/** @throws StartupProblem with every wrong variable: its value unless secret, and what was expected */
export function parseConfig(environment: NodeJS.ProcessEnv): {
  config: Config;
  warnings: string[];
} {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const text = readVariable(environment, name, 'secret' in variable, problems);
    const result = variable.schema.safeParse(text === '' ? undefined : text);
    if (result.success) values[name] = result.data;
    else {
      const got = 'secret' in variable ? 'the given value' : JSON.stringify(text);
      problems.push(
        `${name}: ${got} isn’t valid (${variable.help}): ${result.error.issues[0]?.message ?? ''}`,
      );
    }
  }
  if (values.NODE_ENV === 'production' && values.PUBLIC_URL === undefined)
    problems.push(
      'PUBLIC_URL: required in production. Set it to the address people use, such as PUBLIC_URL=https://chat.example.org.',
    );
  if (problems.length > 0) throw new StartupProblem(problems);
  return { config: values as Config, warnings: unknownVariables(environment) };
}

export const isHttps = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): boolean =>
  PUBLIC_URL?.startsWith('https:') ?? false;

function readVariable(
  environment: NodeJS.ProcessEnv,
  name: string,
  secret: boolean,
  problems: string[],
): string | undefined {
  const file = secret ? environment[`${name}_FILE`] : undefined;
  if (file === undefined || file === '') return environment[name];
  if (environment[name] !== undefined)
    problems.push(`${name} and ${name}_FILE are both set. Remove one of them.`);
  const read = readFile(file);
  if (read === undefined) problems.push(`${name}_FILE: ${file} can’t be read.`);
  return read;
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const known = Object.keys(variables).flatMap((name) => [name, `${name}_FILE`]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('PARLEY_') && !known.includes(name))
    .map((name) => {
      const near = known.filter((other) => distance(name, other) <= 4);
      near.sort((a, b) => distance(name, a) - distance(name, b));
      return `${name} isn’t a Parley setting.${near[0] === undefined ? '' : ` Did you mean ${near[0]}?`}`;
    });
}
