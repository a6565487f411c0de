import { authEndpoints, SignedIn } from '../../shared/accounts.ts';
import { httpRoutesOf, successOf, type Contract } from '../../shared/contract.ts';
import { failures, generalCodes, type FailureCode } from '../../shared/failure.ts';
import { commands, protocolVersion, type CommandName } from '../../shared/protocol.ts';
import { filePaths } from './file-routes.ts';
import { exchangeOf } from './frames.ts';
import {
  commandNames,
  doorOf,
  inputName,
  outputName,
  dottedName,
  print,
  refer,
  shapes,
  type Dialect,
  type Shape,
  type Shapes,
} from './shapes.ts';

const dialect: Dialect = { target: 'draft-2020-12', at: '#/components/schemas/' };

type Paths = Record<string, Record<string, object>>;

export function freshOpenApi(): string {
  const schemas = shapes(dialect);
  const paths: Paths = {};
  for (const door of Object.keys(authEndpoints) as (keyof typeof authEndpoints)[])
    paths[`/api/auth/${door}`] = { post: doorOperation(door) };
  for (const name of commandNames)
    for (const route of httpRoutesOf(commands[name])) {
      const [method = '', way = ''] = route.split(' ');
      const path = way.replaceAll('[', '{').replaceAll(']', '}');
      paths[path] = {
        ...paths[path],
        [method.toLowerCase()]: operation(name, method, path, schemas),
      };
    }
  const finished = json(refer(dialect, outputName('file:finish')));
  Object.assign(paths, filePaths(finished, refusedBy));
  return print({
    openapi: '3.1.0',
    info: {
      title: 'Parley over HTTP',
      version: String(protocolVersion),
      description:
        'Signing in, files, and the commands that scripts can use over HTTP. Everything works over the socket too, and only the socket receives events: see asyncapi.json.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes, responses: refusals(), schemas: reached(schemas, paths) },
  });
}

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-parley',
    description:
      'The session cookie of a person, set by signing in. If the address is not https, its name is `parley_` and six hex digits.',
  },
  bot: { type: 'http', scheme: 'bearer', description: 'The token of a bot, `pbot_…`.' },
};

const json = (schema: Shape, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

function operation(name: CommandName, method: string, path: string, schemas: Shapes) {
  const contract: Contract = commands[name];
  const { properties = {}, required = [], ...rules } = schemas[inputName(name)] ?? {};
  const parameters = Object.entries(properties).filter(([key]) => path.includes(`{${key}}`));
  const rest = Object.entries(properties).filter(([key]) => !path.includes(`{${key}}`));
  const hasBody = method === 'POST' || method === 'PATCH';
  const status = successOf(method);
  const { input, reply } = exchangeOf(name) ?? {};
  const said = Object.entries(input ?? {}).filter(([key]) => !path.includes(`{${key}}`));
  return {
    operationId:
      httpRoutesOf(contract).length > 1 ? `${dottedName(name)}.${owner(path)}` : dottedName(name),
    tags: [name.split(':')[0]],
    summary: contract.summary,
    ...(rules.description !== undefined && { description: rules.description }),
    security: contract.who === 'people' ? [{ session: [] }] : [{ session: [] }, { bot: [] }],
    parameters: [
      ...parameters.map(([key, schema]) => ({ name: key, in: 'path', required: true, schema })),
      ...(hasBody ? [] : queries(rest, required)),
    ],
    ...(hasBody && {
      requestBody: {
        required: true,
        content: json(
          {
            ...rules,
            properties: Object.fromEntries(rest),
            required: required.filter((key) => rest.some(([other]) => other === key)),
          },
          Object.fromEntries(said),
        ),
      },
    }),
    responses: {
      [status]: {
        description: 'Success.',
        ...(status !== 204 && { content: json(refer(dialect, outputName(name)), reply?.value) }),
      },
      // Any request with a cookie from another site is forbidden.
      ...refusedBy([...generalCodes, 'forbidden', ...contract.errors]),
      ...(hasBody && { 415: { $ref: '#/components/responses/media' } }),
    },
  };
}

/** `/api/conversations/{timelineId}/messages` → `conversations` */
const owner = (path: string) => path.split('/')[2] ?? '';

/** Query strings cannot contain lists. */
const queries = (rest: [string, unknown][], required: string[]) =>
  rest
    .filter(([, schema]) => (schema as Shape).type !== 'array')
    .map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }));

function doorOperation(door: keyof typeof authEndpoints) {
  const { summary, status, output } = authEndpoints[door];
  const isWayIn = output === SignedIn;
  return {
    operationId: `auth.${door}`,
    tags: ['auth'],
    summary: `${summary} Browsers can send it only from pages of this Parley.${isWayIn ? ' With an invite, also joins its server.' : ''}`,
    security: [],
    requestBody: { required: true, content: json(refer(dialect, doorOf(door))) },
    responses: {
      [status]: {
        description: isWayIn ? 'Signed in.' : 'Whether the username is available.',
        ...(isWayIn && {
          headers: {
            'Set-Cookie': { description: 'The new session.', schema: { type: 'string' } },
          },
        }),
        content: json(refer(dialect, isWayIn ? 'SignedIn' : 'UsernameLook')),
      },
      ...refusedBy(all),
      413: { $ref: '#/components/responses/long' },
      415: { $ref: '#/components/responses/media' },
    },
  };
}

const all = Object.keys(failures) as FailureCode[];

const refusedBy = (codes: FailureCode[]) =>
  Object.fromEntries(
    codes.map((code) => [failures[code].status, { $ref: `#/components/responses/${code}` }]),
  );

export const meanings: Record<FailureCode, string> = {
  invalid: 'The input isn’t valid; `field` says where.',
  unauthenticated: 'There is no session or token, or it is no longer valid.',
  forbidden: 'You can see the object, but you aren’t allowed to do this.',
  not_found:
    'The object doesn’t exist, or you don’t have access to it. The answer is the same for both.',
  conflict: 'This isn’t possible in the current state.',
  rate_limited: 'Too many requests. `retryAfterMs` and Retry-After say when to try again.',
  busy: 'The server is overloaded, or its database is unavailable. Try again.',
  internal: 'An internal error of the server. `requestId` identifies it in the server’s log.',
};

/** `fields` has a message for each invalid field of a form. */
const refusal = (description: string, later = false) => ({
  description,
  ...(later && {
    headers: { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } } },
  }),
  content: json({
    type: 'object',
    properties: {
      error: refer(dialect, 'Failure'),
      fields: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['error'],
  }),
});

const refusals = () => ({
  ...Object.fromEntries(
    all.map((code) => [code, refusal(meanings[code], failures[code].retryable)]),
  ),
  media: refusal('The body must be JSON, with Content-Type: application/json.'),
  long: refusal('The body is too long.'),
});

function reached(schemas: Shapes, paths: Paths): Shapes {
  const names = new Set(['Failure']);
  const look = (part: object) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/([^"]+)/g)) {
      const shape = schemas[name];
      if (names.has(name) || shape === undefined) continue;
      names.add(name);
      look(shape);
    }
  };
  look(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)));
}
