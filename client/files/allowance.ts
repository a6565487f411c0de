import type { Output } from '../../shared/protocol.ts';
import { send } from '../session/socket.ts';
import { upload } from './attached.svelte.ts';
import { sizeText } from '../../shared/file-size.ts';

export type Allowance = Output<'file:allowance'>;

/** Without a connection, has only the limit known to the client; the upload reports the rest. */
export async function allowanceText(): Promise<string> {
  if (upload.maxBytes === 0) return 'Uploads are turned off on this server.';
  const file = `Files can be up to ${sizeText(upload.maxBytes)}.`;
  const allowance = await send('file:allowance', {}).catch(() => undefined);
  return allowance ? `${file} ${leftText(allowance)}` : file;
}

const leftText = ({ today, room }: Allowance): string =>
  room < today.left
    ? `This server has room for ${sizeText(room)} more.`
    : `You can upload ${sizeText(today.left)} more today.`;
