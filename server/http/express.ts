import express, {
  type ErrorRequestHandler,
  type Express,
  type Response,
  type Router,
} from 'express';
import { ChatError, failures, type Failure } from '../../shared/failure.ts';
import { attempt, toFailure } from '../node/attempt.ts';
import { query } from '../database/database.ts';
import { cachedFor } from '../node/cached.ts';
import type { Node } from '../caller.ts';
import { documents } from './docs-files.ts';
import { FormProblem } from './forms.ts';
import { clientPages } from './client-files.ts';

export function createPages(node: Node, signIn: Router): Express {
  const pages = express();
  pages.disable('x-powered-by');
  pages.set('trust proxy', node.config.TRUST_PROXY);
  pages.set('query parser', 'simple');
  pages.get('/livez', (_request, response) => void response.json({ status: 'ok' }));
  const look = cachedFor(1_000, () => checkDependencies(node), node.clock);
  pages.get('/readyz', async (_request, response) => answerReadiness(node, response, await look()));
  pages.use('/api/auth', signIn);
  pages.use('/docs', documents(), throwNotFound);
  pages.use(clientPages());
  pages.use(throwNotFound);
  pages.use(answerErrors(node));
  return pages;
}

const throwNotFound = () => {
  throw new ChatError('not_found', 'There’s nothing here.');
};

const checkDependencies = (node: Node) =>
  Promise.all([
    attempt(node, 'readyz', () => query(node.ownDb, 'select 1')),
    node.cluster.healthy(),
  ] as const);

function answerReadiness(
  node: Node,
  response: Response,
  [database, cluster]: Awaited<ReturnType<typeof checkDependencies>>,
): void {
  const reasons = [
    ...(node.draining ? ['this node is shutting down'] : []),
    ...(database.ok ? [] : [`database: ${database.error.message}`]),
    ...(cluster.publish ? [] : ['redis: publishing failed']),
    ...(cluster.subscribe ? [] : ['redis: published messages are not received']),
  ];
  const ready = reasons.length === 0;
  response.set('Cache-Control', 'no-store');
  response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'unready', reasons });
}

const answerErrors =
  (node: Node): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const status = refusedAs(error);
    const failure = toFailure(node, status === undefined ? error : asInvalid(status), request.path);
    response.status(status ?? failures[failure.code].status);
    response.set('Cache-Control', 'no-store');
    if (failure.retryAfterMs !== undefined)
      response.set('Retry-After', String(Math.ceil(failure.retryAfterMs / 1_000)));
    response.json({ error: failure, ...fieldsOf(error, failure) });
  };

/** The 4xx status with which Express or a parser refused the request, if any. */
function refusedAs(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

const asInvalid = (status: number) =>
  new ChatError('invalid', sentences[status] ?? 'This request can’t be understood.');

const sentences: Record<number, string> = {
  405: 'This method isn’t allowed here.',
  413: 'This is too long.',
  415: 'Send plain JSON, as Content-Type: application/json.',
};

function fieldsOf(
  error: unknown,
  { field, message }: Failure,
): { fields?: Record<string, string> } {
  if (error instanceof FormProblem) return { fields: error.fields };
  return field === undefined ? {} : { fields: { [field]: message } };
}
