/** The user's remaining upload allowance as text, shown before an upload. */
import type { Output } from '../../shared/protocol.ts';
import { send } from '../session/socket.ts';
import { upload } from './attached.svelte.ts';
import { sizeText } from '../../shared/file-size.ts';

export type Allowance = Output<'file:allowance'>;

/**
 * The allowance for the next files. Without a connection, only the limit known to the client; the upload reports the
 * rest.
 */
export async function allowanceText(): Promise<string> {
  if (upload.maxBytes === 0) return 'Uploads are turned off on this server.';
  const file = `Files can be up to ${sizeText(upload.maxBytes)}.`;
  const allowance = await send('file:allowance', {}).catch(() => undefined);
  return allowance ? `${file} ${leftText(allowance)}` : file;
}

/** The smaller of today's remaining allowance and the remaining storage. */
const leftText = ({ today, room }: Allowance): string =>
  room < today.left
    ? `This server has room for ${sizeText(room)} more.`
    : `You can upload ${sizeText(today.left)} more today.`;
