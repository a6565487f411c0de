export const newId = (): string =>
  uuid(digitsOf(Date.now()), hex(crypto.getRandomValues(new Uint8Array(10))));

/** A time as 48 bits, in hexadecimal digits. */
export const digitsOf = (milliseconds: number): string =>
  milliseconds.toString(16).padStart(12, '0');

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Built from 48 bits of time and at least 80 random bits; version and variant replace six of them. */
export const uuid = (time: string, others: string): string =>
  [
    time.slice(0, 8),
    time.slice(8),
    `7${others.slice(1, 4)}`,
    (0x8000 | (Number.parseInt(others.slice(4, 8), 16) & 0x3fff)).toString(16),
    others.slice(8, 20),
  ].join('-');
