import { expect } from 'chai';
import { v7, validate as isUuid } from 'uuid';
import { failures, type Failure, type FailureCode } from '../../shared/failure.ts';
import { httpRoutesOf } from '../../shared/contract.ts';
import { commands, type CommandName } from '../../shared/protocol.ts';
import { startApp } from '../support/app.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

export interface GatewayRequest {
  /** Values for the `[…]` of the path. */
  path?: Record<string, string>;
  query?: string;
  body?: object | string;
  headers?: Record<string, string>;
  as?: Person | undefined;
  /** Index of the route in the contract; the first by default. */
  route?: number;
}

interface Answer {
  status: number;
  headers: Headers;
  value: Record<string, unknown>;
  error: Failure | undefined;
}

export function httpOf(command: CommandName, route = 0) {
  const [method = '', path = ''] = httpRoutesOf(commands[command])[route]?.split(' ') ?? [];
  const parameters = [...path.matchAll(/\[(\w+)\]/g)].map(([, key]) => key!);
  return { method, path, parameters, hasBody: method === 'POST' || method === 'PATCH' };
}

/** Ann’s server with Ben but without a stranger, and shortcuts for their HTTP requests. */
export async function openGatewayFixture() {
  const app = await startApp();
  const gone = await app.person();
  gone.close();
  const [ann, ben, stranger] = [
    await app.person('Ann'),
    await app.person('Ben'),
    await app.person(),
  ];
  const { serverId, channelId } = await openPlace(ann, ben);
  return {
    app,
    ann,
    ben,
    stranger,
    /** Id of an account that is not connected. */
    absentee: gone.id,
    serverId,
    channelId,
    ask: (command: CommandName, how?: GatewayRequest) => askAt(app.url, command, how),
    refuses: (code: FailureCode, command: CommandName, how: GatewayRequest) =>
      refusalAt(app.url, code, command, how),
    say: async (body: string) =>
      (await ann.send('message:send', { timelineId: channelId, body })).message.id,
  };
}
export type GatewayFixture = Awaited<ReturnType<typeof openGatewayFixture>>;

/** Sends a request as a script does: with a cookie, and without Origin. */
async function askAt(
  url: string,
  command: CommandName,
  { path = {}, query, body, headers, as, route }: GatewayRequest = {},
): Promise<Answer> {
  const { method, path: pattern, hasBody } = httpOf(command, route);
  const address = pattern.replace(/\[(\w+)\]/g, (_all: string, key: string) => path[key] ?? v7());
  const response = await fetch(`${url}${address}${query === undefined ? '' : `?${query}`}`, {
    method,
    headers: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(as === undefined ? {} : { cookie: as.cookie }),
      ...headers,
    },
    ...(hasBody ? { body: typeof body === 'string' ? body : JSON.stringify(body ?? {}) } : {}),
  });
  const text = await response.text();
  const value = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return {
    status: response.status,
    headers: response.headers,
    value,
    error: value.error as Failure | undefined,
  };
}

async function refusalAt(
  url: string,
  code: FailureCode,
  command: CommandName,
  how: GatewayRequest,
) {
  const answer = await askAt(url, command, how);
  const about = `${command} ${JSON.stringify(answer.value)}`;
  expect(answer.status, about).to.equal(failures[code].status);
  expect(answer.error, about).to.include({ code, retryable: failures[code].retryable });
  expect(isUuid(answer.error?.requestId), about).to.equal(true);
  expect(answer.headers.get('cache-control')).to.equal('no-store');
  return answer;
}
