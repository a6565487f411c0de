/** Writes a large object in parts, so that one is sent again if it fails, and not the whole file. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';

interface Target {
  client: S3Client;
  to: { Bucket: string; Key: string };
  /** Sends a request within the time of a part. */
  ask: <T>(request: (options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;
}

/** The object appears when all parts are in the store. If one fails, the store deletes the others. */
export async function writeInParts(
  { client, to, ask }: Target,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { UploadId } = await ask((options) =>
    client.send(new CreateMultipartUploadCommand(to), options),
  );
  const upload = { ...to, UploadId };
  await sendAll().catch(async (error: unknown) => {
    // In its own time: the other requests may have been stopped. The first error says more than one of this request.
    const abortSignal = AbortSignal.timeout(abortMs);
    const abort = client.send(new AbortMultipartUploadCommand(upload), { abortSignal });
    await abort.catch(() => undefined);
    throw error;
  });

  async function sendAll() {
    const Parts: CompletedPart[] = [];
    for await (const Body of pieces) {
      const PartNumber = Parts.length + 1;
      const part = new UploadPartCommand({ ...upload, PartNumber, Body });
      const { ETag } = await ask((options) => client.send(part, options));
      Parts.push({ PartNumber, ETag });
    }
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await ask((options) => client.send(complete, options));
  }
}

const abortMs = 4_000;
