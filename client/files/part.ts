/** Files as a part of messages: see messages/part.ts. */
import type { File } from '../../shared/files.ts';
import type { MessagePart } from '../messages/part.ts';
import AttachButton from './AttachButton.svelte';
import { attached, attachmentsOf } from './attached.svelte.ts';
import { filesOf, readFiles } from './files-of.ts';
import { spokenOf } from './kinds.ts';
import MessageFiles from './MessageFiles.svelte';
import { AttachmentBar } from './parts.ts';

export const filePart: MessagePart = {
  Below: MessageFiles,
  spoken: (line) => filesOf(line).map(spokenOf),
  draft: {
    of(timelineId) {
      const all = attachmentsOf(timelineId);
      return all.length === 0 ? {} : { files: all.flatMap(asSent) };
    },
    speaks: ({ files = [] }) => files.length > 0,
    isPending: (timelineId) => attachmentsOf(timelineId).some(({ file }) => file === undefined),
    clear(timelineId) {
      attached.delete(timelineId);
    },
    stays: true,
    read(saved) {
      const files = readFiles(saved.files);
      return files.length === 0 ? {} : { files };
    },
    input: ({ files = [] }) =>
      files.length === 0
        ? {}
        : { files: files.map(({ id, alt }) => ({ id, ...(alt !== undefined && { alt }) })) },
    Bar: AttachmentBar,
    Tool: AttachButton,
  },
};

const asSent = ({ file, alt }: { file: File | undefined; alt: string }): File[] =>
  file === undefined ? [] : [{ ...file, ...(alt.trim() !== '' && { alt: alt.trim() }) }];
