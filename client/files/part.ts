import type { MessagePart } from '../messages/part.ts';
import AttachButton from './AttachButton.svelte';
import { attached, attachmentsOf, loadAttaching, uploads } from './attached.svelte.ts';
import { filesOf, readFiles } from './files-of.ts';
import { spokenOf } from './kinds.ts';
import MessageFiles from './MessageFiles.svelte';
import { AttachmentBar } from './lazy.ts';

export const filePart: MessagePart = {
  Below: MessageFiles,
  spoken: (line) => filesOf(line).map(spokenOf),
  draft: {
    of(timelineId) {
      const all = attachmentsOf(timelineId);
      return all.length === 0 ? {} : { files: all.map(({ drafted }) => drafted) };
    },
    speaks: ({ files = [] }) => files.length > 0,
    clear(timelineId) {
      attached.delete(timelineId);
    },
    stays: true,
    read(saved) {
      const files = readFiles(saved.files);
      return files.length === 0 ? {} : { files };
    },
    input: async ({ files }, timelineId) =>
      files ? (await loadAttaching()).inputOf(timelineId, files) : {},
    confirm({ files }) {
      for (const { id } of files ?? []) uploads.get(id)?.confirm();
    },
    drop({ files }) {
      if (files) loadAttaching().then(({ removeSaved }) => removeSaved(files), ignore);
    },
    Bar: AttachmentBar,
    Tool: AttachButton,
  },
};

const ignore = () => undefined;
