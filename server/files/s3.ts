/** An object store in a bucket of S3, or of a store with the same protocol, by the official client. */
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { ObjectStore, Reporter } from './object-store.ts';

/** In milliseconds: to connect, without a byte in either direction, for brief requests, and for a whole file. */
const timeouts = { connect: 3_000, silence: 40_000, brief: 4_000, file: 600_000 };

export function openS3(url: string, { failed, worked }: Reporter): ObjectStore {
  const { hostname: Bucket, pathname, searchParams } = new URL(url);
  const prefix = pathname.slice(1).replace(/([^/])$/, '$1/');
  const client = clientOf(searchParams);
  // A second client with its own sockets: a download holds one while it is read, and must not delay uploads.
  const reader = clientOf(searchParams);
  const at = (id: string) => ({ Bucket, Key: prefix + id });
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
    id: string,
    size: number,
    bytes: AsyncIterable<Uint8Array>,
    stop?: AbortSignal,
  ) {
    const broken = new AbortController();
    const Body = Readable.from(bytes, { objectMode: false });
    // The client does not handle errors of its input, so this aborts the request.
    Body.once('error', (error) => {
      broken.abort(error);
    });
    const ends = [broken.signal, AbortSignal.timeout(timeouts.file), ...(stop ? [stop] : [])];
    const abortSignal = AbortSignal.any(ends);
    const put = new PutObjectCommand({ ...at(id), Body, ContentLength: size });
    await answer(client.send(put, { abortSignal }), stop);
  }

  const erase = (id: string) =>
    client.send(new DeleteObjectCommand(at(id)), {
      abortSignal: AbortSignal.timeout(timeouts.brief),
    });

  return {
    write,
    async *read(id, start, end) {
      const Range = `bytes=${start}-${end - 1}`;
      const { Body } = await answer(reader.send(new GetObjectCommand({ ...at(id), Range })));
      yield* Body as Readable;
    },
    async remove(id) {
      await answer(erase(id));
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
  if (error instanceof S3ServiceException) {
    const { httpStatusCode = 500 } = error.$metadata;
    return httpStatusCode < 500 && httpStatusCode !== 429;
  }
  return error instanceof Error && error.name === 'CredentialsProviderError';
}
