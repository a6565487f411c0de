import type { PicturePurpose } from '../../shared/files.ts';
import { newId } from '../sync/ids.ts';
import { uploadWhole } from './upload.ts';

/** Returns the file's id. @throws ChatError with the reason why it cannot be uploaded */
export async function sendPicture(purpose: PicturePurpose, blob: Blob): Promise<string> {
  const state = { sent: 0, isBegun: false };
  return (await uploadWhole({ id: newId(), name: purpose, blob, place: { purpose }, ...state })).id;
}
