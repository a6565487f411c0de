/** The HTTP endpoints to sign in and sign up. Other account commands use the socket. */
import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import { authEndpoints } from '../../shared/accounts.ts';
import { forbidden } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import { addressOf } from '../http/address.ts';
import { readForm } from '../http/forms.ts';
import { requireOwnPage } from '../http/origin.ts';
import { isHttps } from '../config.ts';
import type { Node, Context } from '../caller.ts';
import { takeLook, takeVisit } from './entry-limits.ts';
import { deviceOf, keepDevice, rememberDevice, type KnownDevice } from './known-devices.ts';
import { originOf } from './origins.ts';
import { resetPassword } from './resets.ts';
import { sessionIdentity, startSession } from './sessions.ts';
import { login } from './sign-in.ts';
import type { Credentials } from './store.ts';
import { waitingOf } from './waiting-since.ts';
import { enterAsGuest, lookForUsername, register } from './sign-up.ts';

export function accountRoutes(context: Context): Router {
  const { node } = context;
  const router = Router();
  const endpoints: Record<string, (request: Request, response: Response) => Promise<void>> = {
    async '/register'(request, response) {
      const input = readForm(authEndpoints.register.input, request.body);
      const address = addressOf(node.config, request);
      const turn = await takeVisit(node, address, 'registerPerAddress', 'registerOverall');
      const current = await sessionIdentity(context, request);
      const device = deviceOf(node, request);
      const origin = originOf(node, 'registered', { device, address });
      const who = await register(context, input, current?.user, { address, origin, turn });
      await enter(context, request, response.status(authEndpoints.register.status), who, device);
    },
    async '/login'(request, response) {
      const input = readForm(authEndpoints.login.input, request.body);
      const address = addressOf(node.config, request);
      const waiting = waitingOf(node, request, response, address);
      const device = deviceOf(node, request);
      const who = await login(context, input, { address, device, waiting });
      response.status(authEndpoints.login.status);
      await enter(context, request, response, who, device, noticeOf(who));
    },
    async '/guest'(request, response) {
      const input = readForm(authEndpoints.guest.input, request.body);
      const address = addressOf(node.config, request);
      await takeVisit(node, address, 'guestPerAddress', 'guestOverall');
      const device = deviceOf(node, request);
      const origin = originOf(node, 'guest', { device, address });
      const who = await enterAsGuest(context, input, { address, origin });
      await enter(context, request, response.status(authEndpoints.guest.status), who, device);
    },
    async '/reset'(request, response) {
      const input = readForm(authEndpoints.reset.input, request.body);
      const address = addressOf(node.config, request);
      const turn = await takeVisit(node, address, 'resetPerAddress', 'resetOverall');
      const who = await resetPassword(context, input, { address, turn });
      const device = deviceOf(node, request);
      await enter(context, request, response.status(authEndpoints.reset.status), who, device);
    },
    async '/username'(request, response) {
      const input = readForm(authEndpoints.username.input, request.body);
      const address = addressOf(node.config, request);
      await takeLook(node, address);
      response.json(await lookForUsername(context, input));
    },
  };
  const json = express.json({ limit: limits.authBodyBytes, inflate: false });
  // The session is read last, so that a request that is refused before gets no cookie.
  for (const [path, endpoint] of Object.entries(endpoints))
    router.all(path, noStore, onlyPost, onlyJson, onlyOurs(node), json, node.session, endpoint);
  return router;
}

/** Reports a password reset for `resetNoticeDays`, because an administrator may have used the link. */
function noticeOf({ passwordResetAt }: Credentials): { passwordResetAt?: string } {
  const oldest = Date.now() - quotas.resetNoticeDays * 86_400_000;
  return passwordResetAt && passwordResetAt.getTime() > oldest
    ? { passwordResetAt: passwordResetAt.toISOString() }
    : {};
}

async function enter(
  context: Context,
  request: Request,
  response: Response,
  who: Credentials,
  device: KnownDevice,
  notice: { passwordResetAt?: string } = {},
) {
  const { node } = context;
  await startSession(context, request, who);
  const { user, passwordHash } = who;
  if (user.username !== null && passwordHash !== null)
    rememberDevice(node, response, device, user.username, passwordHash);
  else keepDevice(node, response, device);
  node.log.info({ userId: who.user.id, endpoint: request.path }, 'signed in');
  response.json({ user: who.user, ...notice });
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

const refusal = (status: number) => Object.assign(new Error('refused'), { status });

const onlyPost: RequestHandler = (request, response, next) => {
  if (request.method !== 'POST') {
    response.set('Allow', 'POST');
    throw refusal(405);
  }
  next();
};

/** A form on another site can send text that looks like JSON, but not with this content type. */
const onlyJson: RequestHandler = (request, _response, next) => {
  const [type] = (request.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/json') throw refusal(415);
  next();
};

/** Otherwise another site could sign a visitor in to a foreign account, and the visitor would write there. */
const onlyOurs =
  (node: Node): RequestHandler =>
  (request, _response, next) => {
    requireOwnPage(node, request.headers);
    // Without HTTPS the cookie could not be set, and the password was sent unencrypted.
    if (isHttps(node.config) && !request.secure)
      throw forbidden('Use HTTPS. If you did, TRUST_PROXY isn’t set correctly.');
    next();
  };
