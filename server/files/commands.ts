import type { fileCommands } from '../../shared/files.ts';
import type { Handlers } from '../caller.ts';
import { allowanceOf } from './allowance.ts';
import { addChunk, beginFile, deleteFile } from './uploads.ts';
import { usageFor } from './usage.ts';
import { finishFile } from './finishing.ts';

export const fileHandlers: Handlers<keyof typeof fileCommands> = {
  'file:begin': (caller, input) => beginFile(caller, input),
  'file:chunk': async (caller, input) => ({ offset: await addChunk(caller, input) }),
  'file:finish': async (caller, input) => ({ file: await finishFile(caller, input) }),
  'file:allowance': (caller) => allowanceOf(caller),
  'file:usage': (caller) => usageFor(caller),
  'file:delete': async (caller, input) => {
    await deleteFile(caller, input);
    return {};
  },
};
