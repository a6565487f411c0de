/** Adds files to the message that somebody writes: they are uploaded while they go on writing. */
import type { File as Uploaded } from '../../shared/files.ts';
import { limits } from '../../shared/limits.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { words } from '../session/error-text.ts';
import { send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import { attached, attachmentsOf, upload } from './attached.svelte.ts';
import { sizeText } from './sizes.ts';
import { uploadWhole } from './upload.ts';

export class Attachment {
  /** The file's id, made here: what was begun goes on after a lost connection. */
  readonly id = newId();
  readonly blob: Blob;
  readonly name: string;
  readonly timelineId: string;
  alt = $state('');
  /** How many bytes the server has. */
  sent = $state(0);
  /** Once all of it is there. */
  file = $state.raw<Uploaded>();
  /** Why it is not. */
  failure = $state<string>();
  isBegun = false;
  isCancelled = false;

  constructor(timelineId: string, file: globalThis.File) {
    this.timelineId = timelineId;
    this.blob = file;
    this.name = nameOf(file.name);
  }

  async upload() {
    this.failure = undefined;
    try {
      this.file = await uploadWhole(this);
    } catch (error) {
      this.failure = words(error);
    }
  }
}

/** What the server would refuse in a name goes: what hides, what leads elsewhere, what is too long. */
function nameOf(name: string): string {
  const clean = name
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}/\\]/gu, '')
    .trim();
  const [, stem = clean, ending = ''] = /^(.*?)(\.[^.]{1,10})?$/su.exec(clean) ?? [];
  return `${[...stem].slice(0, limits.fileName - 12).join('')}${ending}`.trim() || 'file';
}

/** Begins to upload these. What cannot be is said at once. */
export function attach(timelineId: string, files: readonly globalThis.File[]): void {
  const { most } = upload;
  const before = attachmentsOf(timelineId);
  const fitting = files.filter(({ size }) => size > 0 && size <= most);
  const added = fitting.slice(0, limits.filesPerMessage - before.length);
  if (most === 0) notices.tell('Uploads are turned off on this server.');
  else if (files.some(({ size }) => size === 0)) notices.tell('An empty file can’t be sent.');
  else if (fitting.length < files.length) notices.tell(`Files can be up to ${sizeText(most)}.`);
  else if (added.length < fitting.length)
    notices.tell(`A message can have up to ${limits.filesPerMessage} files.`);
  const attachments = added.map((file) => new Attachment(timelineId, file));
  if (attachments.length > 0) attached.set(timelineId, [...before, ...attachments]);
  for (const one of attachments) void one.upload();
}

/** Its writer wants it no longer: the server need not keep it for a day. */
export function detach(one: Attachment): void {
  one.isCancelled = true;
  const rest = attachmentsOf(one.timelineId).filter((other) => other !== one);
  if (rest.length > 0) attached.set(one.timelineId, rest);
  else attached.delete(one.timelineId);
  if (one.isBegun) send('file:delete', { fileId: one.id }).catch(() => undefined);
}

/** Moves one before the one before it, or behind the next. */
export function move(one: Attachment, by: -1 | 1): void {
  const all = [...attachmentsOf(one.timelineId)];
  const from = all.indexOf(one);
  const to = from + by;
  if (from < 0 || to < 0 || to >= all.length) return;
  all.splice(to, 0, ...all.splice(from, 1));
  attached.set(one.timelineId, all);
}
