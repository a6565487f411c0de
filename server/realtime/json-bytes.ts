import { writtenBytes } from './written-once.ts';

/** Returns the bytes that a value takes as JSON, rounded up a little, without serializing it. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return stringBytes(value);
  if (typeof value !== 'object' || value === null) return String(value).length;
  const written = writtenBytes(value);
  if (written !== undefined) return written;
  if (Array.isArray(value))
    return value.reduce((sum: number, one) => sum + jsonBytes(one) + 1, 0) + 2;
  let bytes = 2;
  for (const [key, one] of Object.entries(value))
    if (one !== undefined) bytes += stringBytes(key) + jsonBytes(one) + 2;
  return bytes;
}

// eslint-disable-next-line no-control-regex -- JSON escapes control characters
const escaped = /["\\\u0000-\u001f]/;

function stringBytes(text: string): number {
  let bytes = Buffer.byteLength(text) + 2;
  if (!escaped.test(text)) return bytes;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20) bytes += 5;
    else if (code === 0x22 || code === 0x5c) bytes += 1;
  }
  return bytes;
}
