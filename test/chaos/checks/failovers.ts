/** A failover loses what the standby lacked, and nothing else. Lost messages do not come back. */
import type { Message } from '../../../shared/messages.ts';
import type { Finding } from '../findings.ts';
import type { Ended, Failover, History } from '../history.ts';
import { lostOperations, rowsOf } from '../lasting.ts';

export const checkFailovers = ({ history, stored }: Ended): Finding[] => [
  ...history.failovers.flatMap((failover, life) => [
    ...neverStored(history, failover, life),
    ...notOfThePrimary(failover),
  ]),
  ...backAgain(history, rowsOf(stored)),
];

/** Acknowledged changes must be in the last state of the primary, even if the standby lacked them. */
function neverStored({ operations }: History, { before }: Failover, life: number): Finding[] {
  const rows = rowsOf(before);
  return operations.flatMap(({ answers, deed, asked }) =>
    answers
      .filter((answer) => answer.life === life)
      .filter(({ id, version }) => (rows.get(id)?.version ?? 0) < version)
      .map(({ body }): Finding => ({
        promise: 'P1',
        kind: 'lost',
        text: `${deed} “${body}” was acknowledged, and was not stored before the failover`,
        at: asked,
      })),
  );
}

/** Rows of the standby must be equal to rows of the primary, or older. */
function notOfThePrimary({ before, kept, at }: Failover): Finding[] {
  const rows = rowsOf(before);
  const isOlder = (row: Message | undefined, { version, position, body }: Message) =>
    row?.position === position &&
    (row.version > version || (row.version === version && row.body === body));
  return [...rowsOf(kept).values()]
    .filter((old) => !isOlder(rows.get(old.id), old))
    .map(({ position, body }): Finding => ({
      promise: 'P3',
      kind: 'different',
      text: `the standby had “${body}” at ${position}, which the primary did not`,
      at,
    }));
}

/** Only sends with one attempt: no retry can have stored them again after the failover. */
function backAgain(history: History, rows: ReturnType<typeof rowsOf>): Finding[] {
  return lostOperations(history)
    .filter(({ deed, attempts }) => deed === 'send' && attempts === 1)
    .filter(({ messageId = '' }) => rows.has(messageId))
    .map(({ body, asked }): Finding => ({
      promise: 'P3',
      kind: 'different',
      text: `“${body}” was lost with a standby, and is stored again`,
      at: asked,
    }));
}
