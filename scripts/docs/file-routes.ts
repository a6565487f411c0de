/** Files over HTTP, whose bytes are not sent by a command: for OpenAPI and the reference. */
import { plainType } from '../../shared/file-types.ts';
import { limits } from '../../shared/limits.ts';
import type { FailureCode } from '../../shared/failure.ts';
import type { Shape } from './shapes.ts';

const putSummary =
  'Uploads a file in one piece, with the same checks and limits as over the socket. `message:send` takes its id.';
const readSummary =
  'Reads a file, if you may see what it’s in at that moment. Anyone can read a server’s icon with the code of an invite to it.';

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
  description: 'It needs a Content-Length: the length is checked before any of it is read.',
  security: known,
  parameters: [
    inPath('timelineId', Id),
    inPath('name', { type: 'string', maxLength: limits.fileName }),
    inQuery('asSent', 'Keeps it as it was sent, even if it may say where it was taken.'),
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
    inQuery('size', 'Of a picture: at most that large. One that is small anyway is read whole.', {
      type: 'string',
      enum: ['small', 'large'],
    }),
    inQuery('still', 'Of a picture that moves: as it stands still.'),
    inQuery('download', 'For a browser to save, whatever it is.'),
    inQuery('invite', 'The code of an invite, for the icon of its server.'),
    {
      ...{ name: 'Range', in: 'header', required: false, schema: { type: 'string' } },
      description: 'A part of it, as players ask for it.',
    },
  ],
  responses: {
    200: {
      description: 'Its bytes, under the type that their content has.',
      headers: { ETag: { schema: { type: 'string' } } },
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
    206: { description: 'The part that was asked for.' },
    304: { description: 'You have it: If-None-Match is its ETag.' },
    416: { description: 'It has no such part.' },
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

\`GET /files/[fileId]/[name]\`: ${readSummary} Whatever else you ask for is \`not_found\`. The name is for browsers and
doesn’t count. The answer has the type that the file’s content has, and an ETag; parts are read by \`Range\`. Of a picture,
\`?size=small\` and \`?size=large\` are smaller ones, and \`?still\` is one that doesn’t move. \`?download\` lets a browser
save it.`;
