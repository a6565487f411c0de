/** Ids that a client gives to what it makes: version 7 UUIDs. */

export const newId = (): string =>
  uuid(digitsOf(Date.now()), hex(crypto.getRandomValues(new Uint8Array(10))));

/** The 48 bits of a time, as hexadecimal digits. */
export const digitsOf = (milliseconds: number): string =>
  milliseconds.toString(16).padStart(12, '0');

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** From 48 bits of time and at least 80 others, of which six give way to version and variant. */
export const uuid = (time: string, others: string): string =>
  [
    time.slice(0, 8),
    time.slice(8),
    `7${others.slice(1, 4)}`,
    (0x8000 | (Number.parseInt(others.slice(4, 8), 16) & 0x3fff)).toString(16),
    others.slice(8, 20),
  ].join('-');
