/** A file of a draft or unsent message, which uploads in the background. */
import { ChatError } from '../../shared/failure.ts';
import { plainType, shownTypes } from '../../shared/file-types.ts';
import type { File as Uploaded } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import { errorText } from '../ui/error-text.ts';
import { send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import type { DraftFile } from './files-of.ts';
import { uploadWhole, type Upload } from './upload.ts';

export class Attachment implements Upload {
  /** The file's id, made by the client, so that an upload can resume after a lost connection. */
  readonly id: string;
  readonly blob: Blob;
  /** The file's address on this device, to show it before the server has it. */
  readonly url: string;
  readonly name: string;
  readonly timelineId: string;
  alt = $state('');
  /** How many bytes the server has. */
  sent = $state(0);
  /** Set once it is uploaded completely. */
  file = $state.raw<Uploaded>();
  /** Why it failed. */
  failure = $state<string>();
  /** The error of the server if it refused the file because it may reveal where it was taken. */
  question = $state.raw<ChatError>();
  /** True once a message has failed with this question, so that its author has read it. */
  isAsked = false;
  /** True once the author has agreed to send the file unchanged. */
  asSent = false;
  /** The size of a picture in pixels, once it was shown here. */
  width = $state<number>();
  height = $state<number>();
  #isBegun = false;
  #hasEnded = false;
  #cancelling = new AbortController();
  #whole: Promise<Uploaded> | undefined;

  get isBegun() {
    return this.#isBegun;
  }

  /** The answer may come after the file was removed. */
  set isBegun(isBegun) {
    this.#isBegun = isBegun;
    if (isBegun && this.#hasEnded) this.#delete();
  }

  get place() {
    return { timelineId: this.timelineId };
  }

  get cancelled() {
    return this.#cancelling.signal;
  }

  /** The file as its message shows it until the server has checked it; most likely the same. */
  get drafted(): DraftFile {
    const { id, name, blob, width, height } = this;
    // By its name, as browsers know it. The server looks at the content.
    const type = shownTypes.find((one) => one === blob.type) ?? plainType;
    const size = width && height && { width, height };
    const alt = this.alt.trim();
    return {
      ...(this.file ?? { id, name, type, size: blob.size, ...size, pending: true }),
      ...(alt !== '' && { alt }),
    };
  }

  constructor(
    timelineId: string,
    blob: Blob,
    { id = newId(), name }: { id?: string; name: string },
  ) {
    this.id = id;
    this.timelineId = timelineId;
    this.blob = blob;
    this.name = nameOf(name);
    this.url = URL.createObjectURL(blob);
  }

  /** The uploaded file; starts the upload, or retries it after a failure. */
  async whole(): Promise<Uploaded> {
    this.#whole ??= this.#upload();
    try {
      return (this.file = await this.#whole);
    } catch (error) {
      // For a size limit show the server's message, however long the wait.
      const field = error instanceof ChatError ? error.detail.field : undefined;
      if (field === 'asSent') this.question = error as ChatError;
      this.failure = field === 'size' ? (error as ChatError).message : errorText(error);
      this.#whole = undefined;
      throw error;
    }
  }

  sendAsItIs() {
    this.asSent = true;
    this.upload();
  }

  /** Takes a retry of the message as consent to send the file unchanged, if the author was asked about it. */
  confirm() {
    if (this.isAsked) this.asSent = true;
  }

  /** Starts the upload; errors are shown by `failure`. */
  upload() {
    this.whole().catch(() => undefined);
  }

  cancel() {
    this.#cancelling.abort(new ChatError('conflict', 'You cancelled the upload.'));
  }

  /** The message was sent, or the file was removed: the server need not keep it for a day. */
  end() {
    this.cancel();
    this.#hasEnded = true;
    URL.revokeObjectURL(this.url);
    if (this.isBegun && !this.file) this.#delete();
  }

  #delete() {
    send('file:delete', { fileId: this.id }).catch(() => undefined);
  }

  #upload(): Promise<Uploaded> {
    this.failure = undefined;
    if (this.asSent) this.question = undefined;
    this.#cancelling = new AbortController();
    return uploadWhole(this);
  }
}

/** Removes from a name what the server would refuse: invisible characters, path separators and excess length. */
function nameOf(name: string): string {
  const clean = name
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}/\\]/gu, '')
    .trim();
  const [, stem = clean, ending = ''] = /^(.*?)(\.[^.]{1,10})?$/su.exec(clean) ?? [];
  return `${[...stem].slice(0, limits.fileName - 12).join('')}${ending}`.trim() || 'file';
}
