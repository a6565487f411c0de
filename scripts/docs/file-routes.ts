/** Files over HTTP, whose bytes are not sent by a command: for OpenAPI and the reference. */
import { plainType } from '../../shared/file-types.ts';
import { limits } from '../../shared/limits.ts';
import type { FailureCode } from '../../shared/failure.ts';
import type { Shape } from './shapes.ts';

const putSummary =
  'Uploads a file in one piece, with the same checks and limits as over the socket. `message:send` takes its id.';
const readSummary =
  'Reads a file, if you have access to the message, profile or server that it belongs to. Anyone can read a server’s icon with the code of an invite to that server.';

const bytes = {
  [plainType]: { schema: { type: 'string', format: 'binary' } },
};
const inPath = (name: string, schema: Shape = { type: 'string' }) => ({
  ...{ name, in: 'path', required: true, schema },
});
const inQuery = (name: string, description: string, schema: Shape = { type: 'string' }) => ({
  ...{ name, in: 'query', required: false, description, schema },
});
const Id: Shape = { type: 'string', format: 'uuid' };
const known = [{ session: [] }, { bot: [] }];

type Refusals = (codes: FailureCode[]) => object;

const putting = (place: string, finished: object, refusedBy: Refusals) => ({
  operationId: `file.put.${place}`,
  tags: ['file'],
  summary: putSummary,
  description: 'Requires Content-Length, because the size is checked before the body is read.',
  security: known,
  parameters: [
    inPath('timelineId', Id),
    inPath('name', { type: 'string', maxLength: limits.fileName }),
    inQuery('asSent', 'Keeps the file as it was sent, even if it may contain its location.'),
  ],
  requestBody: { required: true, content: bytes },
  responses: {
    201: { description: 'The finished file.', content: finished },
    ...refusedBy([
      ...(['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'] as const),
      ...(['rate_limited', 'busy', 'internal'] as const),
    ]),
  },
});

const reading = (refusedBy: Refusals) => ({
  operationId: 'file.read',
  tags: ['file'],
  summary: readSummary,
  security: [...known, {}],
  parameters: [
    inPath('fileId', Id),
    inPath('name'),
    inQuery(
      'size',
      'Returns a smaller variant of a picture. A picture that has none is returned in its full size.',
      {
        type: 'string',
        enum: ['small', 'large'],
      },
    ),
    inQuery('still', 'Returns a still image of an animated picture.'),
    inQuery(
      'download',
      'Sent as an attachment, so that a browser saves the file instead of showing it.',
    ),
    inQuery('invite', 'The code of an invite, for the icon of its server.'),
    {
      ...{ name: 'Range', in: 'header', required: false, schema: { type: 'string' } },
      description: 'The range of bytes to return, for example for media players.',
    },
  ],
  responses: {
    200: {
      description: 'The content of the file, with the type that was detected from it.',
      headers: { ETag: { schema: { type: 'string' } } },
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
    206: { description: 'The requested range.' },
    304: { description: 'Not modified: If-None-Match matches the ETag.' },
    416: { description: 'The requested range is not in the file.' },
    ...refusedBy([
      ...(['invalid', 'unauthenticated', 'not_found', 'rate_limited'] as const),
      ...(['busy', 'internal'] as const),
    ]),
  },
});

export const filePaths = (finished: object, refusedBy: Refusals) => ({
  '/api/channels/{timelineId}/files/{name}': { put: putting('channels', finished, refusedBy) },
  '/api/conversations/{timelineId}/files/{name}': {
    put: putting('conversations', finished, refusedBy),
  },
  '/files/{fileId}/{name}': { get: reading(refusedBy) },
});

export const fileSection = `## Files over HTTP

\`PUT /api/channels/[timelineId]/files/[name]\`, or \`/api/conversations/…\`: ${putSummary} The body is the
file, and needs a Content-Length. The answer is that of [file:finish](#filefinish), with the status 201.

\`GET /files/[fileId]/[name]\`: ${readSummary} Otherwise, the answer is \`not_found\`. The name is only used by
browsers. The answer has the type that was detected from the content, and an ETag. \`Range\` returns a part of the file.
\`?size=small\` and \`?size=large\` return smaller variants of a picture, and \`?still\` returns a still image of an animated
one. With \`?download\`, a browser saves the file instead of showing it.`;
