/**
 * Serializes a value of many answers once, such as the members of a server. Each answer has a placeholder, which the
 * shared JSON replaces. Measured with members/listed.ts and 280 reconnecting clients: 9.1 ms of the node's processor
 * time for each instead of 14.9, and 5.1 ms of PostgreSQL's instead of 6.7.
 */
import { randomUUID } from 'node:crypto';
import type { Io } from './chat-socket.ts';

interface Written {
  json: string;
  bytes: number;
}

const written = new WeakMap<object, () => Written>();

/** The placeholder. It is random and stays secret, so no user's text can contain it. */
const mark = `written ${randomUUID()}`;
/** The shared parts of the packet that is being encoded, in their order. */
let found: string[] | undefined;

/** Returns a copy of the value, which must not change afterwards. Its JSON is made when first needed, then cached. */
export function writeOnce<T extends object>(value: T): T {
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as T;
  let cached: Written | undefined;
  const write = () => {
    if (cached !== undefined) return cached;
    const json = collecting(undefined, () => JSON.stringify(value));
    return (cached = { json, bytes: Buffer.byteLength(json) });
  };
  written.set(copy, write);
  Object.defineProperty(copy, 'toJSON', {
    value() {
      if (found === undefined) return value;
      found.push(write().json);
      return mark;
    },
  });
  return copy;
}

export const writtenBytes = (value: object): number | undefined => written.get(value)?.().bytes;

interface Encoder {
  encode(packet: object): unknown[];
  encodeAsString(packet: object): string;
}

/** Makes Socket.IO fill in the shared parts. It no longer looks for binary attachments: the server sends none. */
export function encodeAround(io: Io): void {
  const { encoder } = io as unknown as { encoder: Encoder };
  encoder.encode = (packet) => {
    const parts: string[] = [];
    const text = collecting(parts, () => encoder.encodeAsString(packet));
    return [parts.length === 0 ? text : fill(text, parts)];
  };
}

/** Runs `write`. Shared values become placeholders and are added to `parts`; without `parts` they are written out. */
function collecting(parts: string[] | undefined, write: () => string): string {
  const outer = found;
  found = parts;
  try {
    return write();
  } finally {
    found = outer;
  }
}

function fill(text: string, parts: string[]): string {
  const [first = '', ...rest] = text.split(`"${mark}"`);
  return rest.reduce((filled, piece, i) => filled + (parts[i] ?? '') + piece, first);
}
