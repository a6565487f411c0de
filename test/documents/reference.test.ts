import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { current } from '../../scripts/docs.ts';
import { contractFiles } from '../../scripts/docs/for-tools.ts';
import { changeIn, exchangeOf, payloadOf } from '../../scripts/docs/frames.ts';
import {
  changeOf,
  changeTypes,
  commandNames,
  eventNames,
  eventOf,
  inputName,
  outputName,
} from '../../scripts/docs/shapes.ts';
import { httpRoutesOf } from '../../shared/contract.ts';
import { serverEvents } from '../../shared/events.ts';
import { limits } from '../../shared/limits.ts';
import { commands } from '../../shared/protocol.ts';
import { changeShapes, sliceKeys } from '../../shared/rooms.ts';
import { generate, seeded } from '../support/generate.ts';

const read = (name: keyof typeof contractFiles) => JSON.parse(contractFiles[name]()) as Document;

interface Document {
  paths: Record<string, Record<string, object>>;
  operations: Record<string, { action: string; reply?: object }>;
  $defs: Record<string, object>;
}

describe('the reference', () => {
  const openApi = read('openapi.json');
  const asyncApi = read('asyncapi.json');
  const schema = read('schema.json');

  const ajv = new Ajv2020({ allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...schema, $id: 'parley' });
  const shape = (name: string): ValidateFunction => {
    const found = ajv.getSchema(`parley#/$defs/${name}`);
    if (found === undefined) throw new Error(`schema.json has no ${name}`);
    return found;
  };

  it('openapi.json is OpenAPI 3.1, and every reference in it leads somewhere', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...openApi });
    expect(errors ?? []).to.deep.equal([]);
    expect(valid).to.equal(true);
    expect(dangling(openApi)).to.deep.equal([]);
  });

  it('openapi.json has each route of commands, files and sign-in', () => {
    const routes = commandNames
      .flatMap((name) => [...httpRoutesOf(commands[name])])
      .map((route) => route.replaceAll('[', '{').replaceAll(']', '}'));
    const doors = ['register', 'login', 'guest', 'reset', 'username'].map(
      (door) => `POST /api/auth/${door}`,
    );
    const files = [
      'PUT /api/channels/{timelineId}/files/{name}',
      'PUT /api/conversations/{timelineId}/files/{name}',
      'GET /files/{fileId}/{name}',
    ];
    const described = Object.entries(openApi.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described).to.have.members([...routes, ...doors, ...files]);
  });

  it('asyncapi.json has no reference that leads nowhere', () => {
    expect(dangling(asyncApi)).to.deep.equal([]);
  });

  it('asyncapi.json has a request and a reply for each command', () => {
    const asked = Object.entries(asyncApi.operations).filter(([, { reply }]) => reply);
    expect(asked.map(([name]) => name)).to.deep.equal(
      commandNames.map((name) => name.replace(':', '.')),
    );
  });

  it('schema.json has the input and output of each command, and each change', () => {
    const names = [
      ...commandNames.flatMap((name) => [inputName(name), outputName(name)]),
      ...changeTypes.map(changeOf),
    ];
    expect(Object.keys(schema.$defs)).to.include.members(names);
    for (const name of Object.keys(schema.$defs)) expect(shape(name), name).to.be.a('function');
    expect(dangling(schema)).to.deep.equal([]);
  });

  it('valid inputs fit schema.json, and inputs with one more key do not', () => {
    const random = seeded(1);
    for (const name of commandNames) {
      const fits = shape(inputName(name));
      for (let i = 0; i < 20; i += 1) {
        const json = JSON.stringify(generate(commands[name].input, random));
        const input = JSON.parse(json) as object;
        expect(fits(input), `${name} ${json} ${ajv.errorsText(fits.errors)}`).to.equal(true);
        expect(fits({ ...input, more: 1 }), name).to.equal(false);
      }
    }
  });

  it('commands, answers, events and changes sent over the wire fit schema.json', () => {
    const fits = (name: string, value: unknown) => {
      const judge = shape(name);
      expect(judge(value), `${name} ${ajv.errorsText(judge.errors)}`).to.equal(true);
    };
    for (const name of commandNames) {
      fits(inputName(name), exchangeOf(name)?.input);
      fits(outputName(name), exchangeOf(name)?.reply.value);
    }
    for (const name of eventNames) fits(eventOf(name), payloadOf(name));
    for (const type of changeTypes) fits(changeOf(type), changeIn(type));
  });

  it('README.md has a part for each command and event, and each link in it leads to a part', () => {
    const page = current('docs/reference/README.md');
    const heads = [...page.matchAll(/^##+ (.+)$/gm)].map(([, head = '']) => head);
    const events = Object.keys(serverEvents).map((event) => `Event \`${event}\``);
    expect(heads).to.include.members([...commandNames, ...events]);
    const anchors = heads.map((head) =>
      head
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, link]) => link);
    expect(links.length).to.be.above(100);
    expect(links.filter((link) => !anchors.includes(link ?? ''))).to.deep.equal([]);
    expect(new Set(anchors).size, 'no two parts have one name').to.equal(anchors.length);
    expect(page).not.to.include('undefined');
  });

  it('published schemas of inputs are closed, and those of answers and events are open', () => {
    const { $defs } = schema;
    const isClosed = (part: object) =>
      JSON.stringify(part).includes('"additionalProperties":false');
    for (const [name, shape] of Object.entries($defs)) {
      expect(isClosed(shape), name).to.equal(name.endsWith('.input'));
    }
    for (const operations of Object.values(openApi.paths))
      for (const { responses } of Object.values(operations) as { responses: object }[])
        expect(isClosed(responses)).to.equal(false);
    expect(isClosed(asyncApi.operations)).to.equal(false);
  });

  it('each "one of" is in schema.json, which accepts and refuses the same inputs as the server', () => {
    const id = '0190b5a0-0000-7000-8000-000000000000';
    const cases: [(typeof commandNames)[number], object, boolean][] = [
      ['friendRequest:create', {}, false],
      ['friendRequest:create', { userId: id }, true],
      ['friendRequest:create', { userId: id, username: 'ann' }, false],
      ['friendRequest:update', { requestId: id }, false],
      ['friendRequest:update', { requestId: id, note: 'Hi' }, true],
      ['friendRequest:update', { requestId: id, note: 'Hi', status: 'accepted' }, false],
      ['message:list', { timelineId: id }, true],
      ['message:list', { timelineId: id, around: 1 }, true],
      ['message:list', { timelineId: id, around: 1, after: 1 }, false],
      ['message:list', { timelineId: id, before: 1, after: 1 }, false],
      ['channel:create', { serverId: id, name: 'here', userIds: [id] }, false],
      ['channel:create', { serverId: id, name: 'here', userIds: [id], private: true }, true],
      ['channel:update', { channelId: id, userIds: [id], private: false }, false],
      ['member:list', { serverId: id, looksLike: 'Ann' }, true],
      ['member:list', { serverId: id, looksLike: 'Ann', query: 'ann' }, false],
    ];
    for (const [name, input, fits] of cases) {
      const what = `${name} ${JSON.stringify(input)}`;
      expect(shape(inputName(name))(input), what).to.equal(fits);
      expect(commands[name].input.safeParse(input).success, what).to.equal(fits);
    }
  });

  it('README.md names the slice of each change, and the key of each slice of a room', () => {
    const page = current('docs/reference/README.md');
    for (const type of changeTypes)
      expect(page).to.match(
        new RegExp(`^\\| \`${type}\` \\|.*\\| \`${changeShapes[type].slice}\` \\|`, 'm'),
      );
    for (const [slice, key] of Object.entries(sliceKeys))
      expect(page).to.include(`\`${slice}\` (by \`${key}\`)`);
  });

  it('limits are in schema.json: a text of one character too many does not fit', () => {
    const id = '0190b5a0-0000-7000-8000-000000000000';
    const cases = [
      ['message:send', 'body', limits.body, { timelineId: id }],
      ['server:create', 'name', limits.serverName, {}],
      ['channel:create', 'name', limits.channelName, { serverId: id }],
      ['channel:create', 'topic', limits.channelTopic, { serverId: id, name: 'here' }],
      ['user:update', 'displayName', limits.displayName, {}],
      ['user:changePassword', 'next', limits.password, { current: 'it was this' }],
    ] as const;
    for (const [command, field, limit, rest] of cases)
      for (const length of [limit, limit + 1]) {
        const input = { ...rest, [field]: '🐦'.repeat(length) };
        const fits = length === limit;
        expect(shape(inputName(command))(input), `${command} ${field} ${length}`).to.equal(fits);
        expect(commands[command].input.safeParse(input).success).to.equal(fits);
      }
  });
});

function dangling(document: object): string[] {
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
  return [...new Set([...references].map(([, path = '']) => path))].filter((path) => {
    let place: unknown = document;
    for (const step of path.split('/')) place = (place as Record<string, unknown>)[step] ?? {};
    return Object.keys(place as object).length === 0;
  });
}
