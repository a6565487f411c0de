/**
 * Pictures and other files. They are uploaded in chunks over the socket, or in one piece by PUT, then named by one
 * message. `GET /files/<id>/<name>` requires the right to see that message. Pictures of people and servers, and emoji,
 * are files without a timeline.
 */
import { z } from 'zod';
import { command, Id, Line, Name, NewId, Nothing, PersonId, Time, withOne } from './contract.ts';
import { plainType, shownTypes } from './file-types.ts';
import { limits } from './limits.ts';
import { People } from './people.ts';
import { quotas } from './quotas.ts';

export const PicturePurpose = z.enum(['avatar', 'icon', 'emoji']);
export type PicturePurpose = z.infer<typeof PicturePurpose>;

export const FileName = Name(limits.fileName).refine(
  (name) => !/[/\\]/.test(name),
  'A file’s name can’t contain a slash.',
);

const FileSize = z.int().min(1, 'This file is empty.');

export const File = z.strictObject({
  id: Id,
  name: z.string(),
  /** Detected from the content, not from the name. */
  type: z.enum([...shownTypes, plainType]),
  /** In bytes. */
  size: FileSize,
  /** For a picture: in pixels, as it is shown. */
  width: z.int().min(1).optional(),
  height: z.int().min(1).optional(),
  /** The color to show until the picture has loaded. */
  placeholder: z
    .string()
    .regex(/^#[\da-f]{6}$/)
    .optional(),
  alt: z.string().optional(),
});
export type File = z.infer<typeof File>;

export const fileFields = { files: z.array(File).optional() };

const Attached = z.strictObject({
  id: Id,
  alt: Line(limits.fileAlt)
    .optional()
    .meta({ description: 'Alternative text: a description of what the file shows.' }),
});

export const fileInput = {
  files: z
    .array(Attached)
    .refine((files) => files.length <= limits.filesPerMessage, {
      message: `A message can have up to ${limits.filesPerMessage} files.`,
    })
    .optional()
    .meta({
      description: `Up to ${limits.filesPerMessage} of your own files, finished and uploaded to this timeline.`,
      maxItems: limits.filesPerMessage,
    }),
};

const Bytes = z
  .custom<Uint8Array>((bytes) => bytes instanceof Uint8Array, 'Send bytes.')
  .refine(
    (bytes) => bytes.length <= limits.fileChunkBytes,
    `Send up to ${limits.fileChunkBytes} bytes at a time.`,
  )
  .meta({
    description: `Up to ${limits.fileChunkBytes} bytes, as a binary attachment of the packet.`,
  });

const Offset = z.int().min(0);
const ByteCount = z.int().min(0);

export const fileCommands = {
  'file:begin': command({
    summary:
      'Starts uploading a file to a timeline, or a picture for a purpose (not for guests). Repeated with the same id, returns how many bytes the server has.',
    input: withOne(
      z.strictObject({
        timelineId: Id.optional(),
        purpose: PicturePurpose.optional(),
        name: FileName,
        size: FileSize,
        id: NewId.optional(),
      }),
      ['timelineId', 'purpose'],
    ),
    output: z.strictObject({ fileId: Id, chunkBytes: z.int(), offset: Offset }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'file',
  }),
  'file:chunk': command({
    summary:
      'Uploads bytes, and returns how many the server has. Ignores bytes whose `offset` isn’t where the stored ones end.',
    input: z.strictObject({ fileId: Id, offset: Offset, bytes: Bytes }),
    output: z.strictObject({ offset: Offset }),
    errors: ['not_found'],
    rate: 'chunk',
    queued: false,
  }),
  'file:finish': command({
    summary:
      'Finishes an upload after all bytes have arrived. With `sha256`, the hash must match; otherwise all bytes must be sent again. Pictures are re-encoded, upright and without metadata such as the location; a picture that can’t be read becomes a file to download. A photo or video that can’t be re-encoded and may contain its location is rejected as `invalid` with the field `asSent`, unless `asSent` is set. With a purpose, the file must be a picture and is resized; pictures other than emoji are also cropped to a square.',
    input: z.strictObject({
      fileId: Id,
      sha256: z
        .string()
        .regex(/^[\da-f]{64}$/, 'This isn’t a SHA-256 hash.')
        .optional(),
      asSent: z.boolean().optional().meta({
        description:
          'Keeps the file as it was sent, including metadata such as location, time and camera. A picture then becomes a file to download.',
      }),
    }),
    output: z.strictObject({ file: File }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'finish',
    queued: false,
  }),
  'file:allowance': command({
    summary:
      'Returns how many bytes you can still upload today, and as `room` how much of the storage for all files is free, at most the daily limit. Guests of one network share a daily limit.',
    input: Nothing,
    output: z.strictObject({
      today: z.strictObject({
        most: ByteCount,
        left: ByteCount,
        /** When the whole allowance is available again. */
        renewsAt: Time.optional(),
      }),
      room: ByteCount,
    }),
    errors: [],
    rate: 'read',
  }),
  'file:usage': command({
    summary: `Returns how many bytes all files take, and up to ${quotas.largestUploaders} people whose files take the most. Files of deleted accounts are one entry without a userId. For administrators of the instance.`,
    input: Nothing,
    output: z.strictObject({
      bytes: ByteCount,
      limit: ByteCount,
      uploaders: z.array(
        z.strictObject({ userId: PersonId.optional(), files: z.int(), bytes: ByteCount }),
      ),
      people: People,
    }),
    errors: ['forbidden'],
    rate: 'read',
    // Reads all files.
    cost: () => 20,
    who: 'people',
  }),
  'file:delete': command({
    summary: 'Deletes a file of yours that isn’t used anywhere, even if its upload isn’t finished.',
    input: z.strictObject({ fileId: Id }),
    output: Nothing,
    errors: ['not_found'],
    rate: 'file',
  }),
};
