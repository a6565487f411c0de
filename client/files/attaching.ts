/** The files of messages, from the draft until the outbox sends them. */
import { ChatError, conflict } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { removeBlob, saveBlob, loadBlob } from '../device/blobs.ts';
import type { SendInput } from '../messages/part.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { send } from '../session/socket.ts';
import { attached, attachmentsOf, upload, uploads } from './attached.svelte.ts';
import { Attachment } from './attachment.svelte.ts';
import { dropTarget } from './drop-target.svelte.ts';
import type { DraftFile } from './files-of.ts';
import { sortOut } from './refused.ts';

/** Bounds the files saved on this device: the bytes of this many messages with the most and largest files. */
const maxSavedMessages = 2;

/** Starts the uploads. Refused files are reported at once. */
export function attach(timelineId: string | undefined, files: readonly globalThis.File[]): void {
  if (timelineId === undefined) {
    const { place } = dropTarget;
    notices.show(
      place && 'refusal' in place
        ? place.refusal
        : 'Open a channel or conversation to share files.',
    );
    return;
  }
  const { maxBytes } = upload;
  const before = attachmentsOf(timelineId);
  const room = limits.filesPerMessage - before.length;
  const { fitting, refused } = sortOut(files, { maxBytes, room });
  if (refused !== undefined) notices.show(refused);
  const attachments = fitting.map((file) => held(new Attachment(timelineId, file, file)));
  if (attachments.length > 0) attached.set(timelineId, [...before, ...attachments]);
  for (const one of attachments) {
    one.upload();
    // For the next visit, if the message is still unsent then.
    void saveBlob(one.id, one.blob, maxSavedMessages * limits.filesPerMessage * maxBytes);
  }
}

export function detach(one: Attachment): void {
  const rest = attachmentsOf(one.timelineId).filter((other) => other !== one);
  if (rest.length > 0) attached.set(one.timelineId, rest);
  else attached.delete(one.timelineId);
  if (one.file) send('file:delete', { fileId: one.id }).catch(() => undefined);
  end(one);
  void removeBlob(one.id);
}

function held(one: Attachment): Attachment {
  uploads.set(one.id, one);
  return one;
}

function end(one: Attachment): void {
  uploads.delete(one.id);
  one.end();
}

export function move(one: Attachment, by: -1 | 1): { position: number; of: number } | undefined {
  const all = [...attachmentsOf(one.timelineId)];
  const from = all.indexOf(one);
  const to = from + by;
  if (from < 0 || to < 0 || to >= all.length) return undefined;
  all.splice(to, 0, ...all.splice(from, 1));
  attached.set(one.timelineId, all);
  return { position: to + 1, of: all.length };
}

/**
 * The input of `message:send` for these files, once all are uploaded; also after a reload.
 * @throws ChatError if an upload fails, or if the author has to confirm files that can reveal where they were taken
 */
export async function inputOf(timelineId: string, files: readonly DraftFile[]): Promise<SendInput> {
  const pending = await Promise.all(
    files
      .filter(isPending)
      .map(async (file) => uploads.get(file.id) ?? (await recall(timelineId, file))),
  );
  const failures = await Promise.all(pending.map(failureOf));
  const failure = failures.find((one) => one !== undefined);
  if (failure) throw failure.reason as Error;
  const asked = pending.filter(isQuestion);
  for (const one of asked) one.isAsked = true;
  const [question] = asked;
  if (question?.question && asked.length === 1) throw question.question;
  if (question) throw locationQuestion(asked);
  return { files: files.map(({ id, alt }) => ({ id, ...(alt !== undefined && { alt }) })) };
}

const isQuestion = (one: Attachment) => one.question !== undefined && !one.asSent;

/** Waits for the upload and returns its error, unless the author has to confirm the file instead. */
async function failureOf(one: Attachment): Promise<{ reason: unknown } | undefined> {
  if (isQuestion(one)) return undefined;
  const failure = await one.whole().then(
    () => undefined,
    (reason: unknown) => ({ reason }),
  );
  return isQuestion(one) ? undefined : failure;
}

const locationQuestion = (asked: readonly Attachment[]) =>
  new ChatError(
    'invalid',
    `${asked.map(({ name }) => `“${name}”`).join(', ')} may say where they were taken, and that can’t be removed. Try again to send them as they are.`,
    { field: 'asSent' },
  );

/** A file from an earlier visit. The server says where to resume. */
async function recall(timelineId: string, { id, name }: DraftFile): Promise<Attachment> {
  const blob = await loadBlob(id);
  if (!blob) throw conflict(`“${name}” is no longer on this device. Attach it again.`);
  return uploads.get(id) ?? held(new Attachment(timelineId, blob, { id, name }));
}

/** Drops the files of a message that has arrived or was withdrawn. */
export async function removeSaved(files: readonly DraftFile[]): Promise<void> {
  for (const { id } of files) {
    const one = uploads.get(id);
    if (one) end(one);
  }
  for (const { id } of files) await removeBlob(id);
}

const isPending = ({ pending }: DraftFile) => pending === true;
