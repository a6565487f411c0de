/** The part of a browser that concerns push messages: its keys, and their decryption (RFC 8291). */
import {
  createDecipheriv,
  createECDH,
  hkdfSync,
  randomBytes,
  randomUUID,
  type ECDH,
} from 'node:crypto';

export interface PushDevice {
  endpoint: string;
  p256dh: string;
  auth: string;
}

interface Keys {
  ecdh: ECDH;
  auth: Buffer;
}

/** By endpoint. */
const keysOf = new Map<string, Keys>();

export function newDevice(
  service = 'https://updates.push.services.mozilla.com/wpush/v2',
): PushDevice {
  const ecdh = createECDH('prime256v1');
  const p256dh = ecdh.generateKeys('base64url');
  const auth = randomBytes(16);
  const endpoint = `${service}/${randomUUID()}`;
  keysOf.set(endpoint, { ecdh, auth });
  return { endpoint, p256dh, auth: auth.toString('base64url') };
}

/** Decrypts a message in one record of `aes128gcm`. @throws Error if it was not encrypted for this device */
export function decrypted(endpoint: string, sent: Buffer): string {
  const keys = keysOf.get(endpoint);
  if (keys === undefined) throw new Error(`There’s no device at ${endpoint}.`);
  const { ecdh, auth } = keys;
  const salt = sent.subarray(0, 16);
  const idLength = sent[20] ?? 0;
  const sender = sent.subarray(21, 21 + idLength);
  const record = sent.subarray(21 + idLength);
  if (record.length > sent.readUInt32BE(16)) throw new Error('There is more than one record.');
  const secret = derived(
    ecdh.computeSecret(sender),
    auth,
    Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender]),
    32,
  );
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0) throw new Error('The last record has no end.');
  return padded.toString('utf8', 0, end);
}

const derived = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));
