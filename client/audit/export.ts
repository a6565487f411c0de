import type { AuditEntry } from '../../shared/audit.ts';
import type { AuditLog } from './audit-log.svelte.ts';
import { csvLine } from './csv.ts';
import { textOf } from './sentences.ts';

const columns = [
  'First time',
  'Last time',
  'Action',
  'Count',
  'Description',
  'Actor',
  'Actor ID',
  'Target',
  'Target ID',
  'Object ID',
  'Detail',
  'Server',
  'Server ID',
  'Address',
];

function rowOf(entry: AuditEntry, { names, serverName }: AuditLog): string {
  const { actorId, userId, detail, subjectId, serverId, address } = entry;
  const nameOf = (id: string | null) => (id === null ? '' : names.person(id));
  return csvLine([
    entry.at,
    entry.lastAt,
    entry.action,
    String(entry.count),
    textOf(entry, names),
    nameOf(actorId),
    actorId ?? '',
    nameOf(userId),
    userId ?? '',
    subjectId ?? '',
    detail ?? '',
    serverName(entry) ?? '',
    serverId ?? '',
    address ?? '',
  ]);
}

/** All entries that match the filters, as a file. `onprogress` gets their number so far. */
export async function exportCsv(
  log: AuditLog,
  stopped: AbortSignal,
  onprogress: (count: number) => void,
): Promise<{ file: Blob; count: number }> {
  // Without a byte order mark, Excel does not read UTF-8.
  const mark = '\uFEFF';
  const rows: string[] = [];
  for await (const entries of log.all(stopped)) {
    for (const entry of entries) rows.push(rowOf(entry, log));
    onprogress(rows.length);
  }
  const file = new Blob([mark, csvLine(columns), ...rows], { type: 'text/csv' });
  return { file, count: rows.length };
}

export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download begins in a later task.
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 60_000);
}
