/** Copies of the client’s driver that each lack one of the six rules (docs/architecture.md). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';

export interface DriverBreakage {
  rule: number;
  /** Relative to client/. */
  file: string;
  /** The original code, which must occur once, and its replacement. */
  instead: [of: string, put: string];
}

export const breakages: DriverBreakage[] = [
  {
    rule: 1,
    file: 'sync/version-gate.ts',
    instead: ['from <= version && version < to', 'from >= 0 && version < to'],
  },
  {
    rule: 2,
    file: 'sync/rows.ts',
    instead: ['if (row.version <= knownVersion(slice, id)) return false;', ''],
  },
  {
    rule: 3,
    file: 'messages/window.ts',
    instead: [
      'if (index > rows.length) reachesNewest = false;',
      'if (index > rows.length) rows.push(row);',
    ],
  },
  {
    rule: 4,
    file: 'sync/connection.ts',
    instead: ['await this.#whenReady();', 'void this.#whenReady().catch(() => undefined);'],
  },
  { rule: 5, file: 'sync/sync-client.ts', instead: ['ready.epoch !== this.#rooms.epoch || ', ''] },
  {
    rule: 6,
    file: 'sync/sync-client.ts',
    instead: ['if (isVisible()) this.syncAll(looks % 5 === 0);', 'isVisible();'],
  },
];

/** Returns the file with the breakage and as it is. `client` is the path of the folder. */
export async function breakFile(client: string, { file, instead: [of, put] }: DriverBreakage) {
  const whole = await readFile(join(client, file), 'utf8');
  const pieces = whole.split(of);
  expect(pieces, `${file}: ${of}`).to.have.length(2);
  return { whole, broken: pieces.join(put) };
}
