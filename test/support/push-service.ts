/** A push service on loopback. It accepts requests signed with the key of the subscription, and decrypts them. */
import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { PushedMessage } from '../../shared/push.ts';
import { decrypted, newDevice, type PushDevice } from './push-device.ts';
import { until } from './time.ts';

export interface FakePushService {
  /** For PARLEY_PUSH_SERVICES. */
  origin: string;
  device(): PushDevice;
  sentTo(device: PushDevice): PushedMessage[];
  /** The number of requests to a device, answered well or not. */
  requestsTo(device: PushDevice): number;
  /** Waits until the texts sent to a device are these. */
  expectSent(device: PushDevice, ...texts: string[]): Promise<void>;
  answer(status: number, headers?: Record<string, string>): void;
  hang(): void;
  complaints: unknown[];
  close(): Promise<void>;
}

export async function openPushService(): Promise<FakePushService> {
  const sent = new Map<string, PushedMessage[]>();
  const requests = new Map<string, number>();
  const complaints: unknown[] = [];
  let reply: { status: number; headers: Record<string, string> } | undefined;
  const answer = (status: number, headers = {}) => void (reply = { status, headers });
  answer(201);

  async function take(request: IncomingMessage, origin: string): Promise<void> {
    const endpoint = `${origin}${request.url ?? ''}`;
    const body = await buffer(request);
    requests.set(endpoint, (requests.get(endpoint) ?? 0) + 1);
    check(request, body, origin);
    const content = JSON.parse(decrypted(endpoint, body)) as PushedMessage;
    if (reply?.status === 201) sent.set(endpoint, [...(sent.get(endpoint) ?? []), content]);
  }

  const server: Server = createServer((request, response) => {
    take(request, origin)
      .catch((error: unknown) => complaints.push(error))
      .then(
        () => reply && response.writeHead(reply.status, reply.headers).end(),
        (error: unknown) => complaints.push(error),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sentTo = ({ endpoint }: PushDevice) => sent.get(endpoint) ?? [];
  return {
    ...{ origin, sentTo, answer, complaints },
    device: () => newDevice(`${origin}/send`),
    requestsTo: ({ endpoint }) => requests.get(endpoint) ?? 0,
    async expectSent(device, ...texts) {
      await until(
        () => sentTo(device).length >= texts.length,
        () => `told: ${texts.join()}`,
      );
      expect(sentTo(device).map(({ body }) => body)).to.have.members(texts);
      expect(complaints).to.deep.equal([]);
    },
    hang: () => void (reply = undefined),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Checks a request by RFC 8030, 8188 and 8292. */
function check(request: IncomingMessage, body: Buffer, origin: string): void {
  const { method, headers } = request;
  expect(method).to.equal('POST');
  expect(headers['content-encoding']).to.equal('aes128gcm');
  expect(Number(headers.ttl)).to.be.within(1, 2_419_200);
  expect(headers.urgency).to.equal('high');
  expect(body.length).to.be.at.most(4_096);
  expect(headers.cookie).to.equal(undefined);
  const { token = '', key = '' } =
    /^vapid t=(?<token>[\w.-]+), ?k=(?<key>[\w-]+)$/.exec(headers.authorization ?? '')?.groups ??
    {};
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const publicKey = createPublicKey({
    key: {
      ...{ kty: 'EC', crv: 'P-256' },
      x: point.toString('base64url', 1, 33),
      y: point.toString('base64url', 33, 65),
    },
    format: 'jwk',
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  expect(isSigned, 'the signature').to.equal(true);
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
    string,
    unknown
  >;
  expect(aud).to.equal(origin);
  expect(sub).to.match(/^(mailto|https):/);
  const inSeconds = Number(exp) - Date.now() / 1_000;
  expect(inSeconds).to.be.within(1, 86_400);
}
