/** An object store in a bucket of S3, or of a store with the same protocol, by the official client. */
import { addAbortSignal, PassThrough, type Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  NoSuchUpload,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { writeInParts } from './multipart.ts';
import { MissingObject, partBytes, type ObjectStore, type Reporter } from './object-store.ts';
import { inPieces } from './pieces.ts';

/** In milliseconds: to connect, without a byte in either direction, for brief requests, and for a part of a file. */
const timeouts = { connect: 3_000, silence: 40_000, brief: 4_000, part: 60_000 };

export function openS3(url: string, { failed, worked }: Reporter): ObjectStore {
  const { hostname: Bucket, pathname, searchParams } = new URL(url);
  const prefix = pathname.slice(1).replace(/([^/])$/, '$1/');
  const client = clientOf(searchParams);
  // A second client with its own sockets: a download holds one while it is read, and must not delay uploads.
  const reader = clientOf(searchParams);
  const at = (object: string) => ({ Bucket, Key: prefix + object });
  const answer = <T>(asked: Promise<T>, stop?: AbortSignal): Promise<T> =>
    asked.then(
      (found) => {
        worked();
        return found;
      },
      (error: unknown) => {
        const isNoProblem = error instanceof NoSuchKey || stop?.aborted === true;
        throw isNoProblem ? error : failed(error, isRefusal(error));
      },
    );

  async function write(
    object: string,
    size: number,
    bytes: AsyncIterable<Uint8Array>,
    stop?: AbortSignal,
  ) {
    const to = at(object);
    const ask = <T>(request: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> => {
      const timeout = AbortSignal.timeout(timeouts.part);
      return answer(
        request({ abortSignal: AbortSignal.any([timeout, ...(stop ? [stop] : [])]) }),
        stop,
      );
    };
    const pieces = exactly(size, inPieces(bytes, partBytes));
    if (size > partBytes) {
      await writeInParts({ client, to, ask }, pieces);
      return;
    }
    for await (const Body of pieces)
      await ask((options) => client.send(new PutObjectCommand({ ...to, Body }), options));
  }

  /** The same bytes. If the connection breaks in the middle, the error is that of an unavailable store. */
  function reported(body: Readable, stop?: AbortSignal): Readable {
    const bytes = new PassThrough();
    body.once('error', (error) => {
      if (!bytes.destroyed) bytes.destroy(failed(error, false));
    });
    bytes.once('close', () => body.destroy());
    return body.pipe(stop ? addAbortSignal(stop, bytes) : bytes);
  }

  const erase = (object: string) =>
    client.send(new DeleteObjectCommand(at(object)), {
      abortSignal: AbortSignal.timeout(timeouts.brief),
    });

  return {
    write,
    async *read(object, start, end, stop) {
      const Range = `bytes=${start}-${end - 1}`;
      const get = new GetObjectCommand({ ...at(object), Range });
      const asked = reader.send(get, { ...(stop && { abortSignal: stop }) });
      const { Body } = await answer(asked, stop).catch((error: unknown) => {
        if (error instanceof NoSuchKey)
          throw new MissingObject(`the object ${object} is missing in the store`);
        throw error;
      });
      yield* reported(Body as Readable, stop);
    },
    async remove(object) {
      await answer(erase(object));
    },
    problem() {
      const check = new PutObjectCommand({ ...at('check'), Body: 'Parley can write here.' });
      const abortSignal = AbortSignal.timeout(timeouts.brief);
      return client
        .send(check, { abortSignal })
        .then(() => erase('check'))
        .then(
          () => undefined,
          (error: unknown) => {
            if (isRefusal(error))
              return `can’t write to the bucket ${Bucket}: ${error.message} (${error.name})`;
            failed(error, false);
            return undefined;
          },
        );
    },
  };
}

/** @throws if there are more or fewer bytes, before the last piece is yielded */
async function* exactly(size: number, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  let last: Buffer | undefined;
  for await (const piece of pieces) {
    if (last !== undefined) yield last;
    last = piece;
    length += piece.length;
  }
  if (length !== size) throw new Error(`a file has ${length} bytes instead of ${size}`);
  if (last !== undefined) yield last;
}

function clientOf(parameters: URLSearchParams): S3Client {
  const endpoint = parameters.get('endpoint');
  const region = parameters.get('region');
  return new S3Client({
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    // Stores other than AWS mostly ignore the region, but it is part of the signature.
    ...((region ?? endpoint) !== null && { region: region ?? 'us-east-1' }),
    // Many stores refuse the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: timeouts.connect,
      socketTimeout: timeouts.silence,
      httpAgent: { maxSockets: 500 },
      httpsAgent: { maxSockets: 500 },
    },
    logger: silent,
  });
}

/** The client logs nothing, because its errors are thrown as well. */
const silent = Object.fromEntries(
  (['trace', 'debug', 'info', 'warn', 'error'] as const).map((level) => [level, () => undefined]),
) as unknown as Console;

/** True if the keys, the bucket or the address are wrong, not if the store itself has a problem. */
function isRefusal(error: unknown): error is Error {
  // The client sent the completion of an object again, because the first answer was lost.
  if (error instanceof NoSuchUpload) return false;
  if (error instanceof S3ServiceException) {
    const { httpStatusCode = 500 } = error.$metadata;
    return httpStatusCode < 500 && httpStatusCode !== 429;
  }
  return error instanceof Error && error.name === 'CredentialsProviderError';
}
