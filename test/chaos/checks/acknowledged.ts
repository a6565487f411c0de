/** P1 and P5: acknowledged changes are stored and stay; refused ones are not stored. */
import type { Message } from '../../../shared/messages.ts';
import type { Finding } from '../findings.ts';
import { groupBy } from '../grouped.ts';
import type { Ended, Operation } from '../history.ts';

export function checkAcknowledged({ history, stored }: Ended): Finding[] {
  const rows = new Map(
    stored.timelines.flatMap(({ messages }) => messages.map((row) => [row.id, row])),
  );
  const byMessage = groupBy(
    history.operations.filter(({ messageId }) => messageId !== undefined),
    ({ messageId = '' }) => messageId,
  );
  return [...byMessage].flatMap(([id, operations]) => [
    ...sentButNotStored(operations, rows.get(id)),
    ...refusedButStored(operations, rows.get(id)),
    ...mismatchesOf(operations, rows.get(id)),
  ]);
}

const isDone = ({ answered, refused }: Operation) =>
  answered !== undefined && refused === undefined;

function sentButNotStored(operations: Operation[], row: Message | undefined): Finding[] {
  const sent = operations.find((one) => one.deed === 'send' && isDone(one));
  if (sent === undefined || row !== undefined) return [];
  return [
    {
      promise: 'P1',
      kind: 'lost',
      text: `${sent.body} was acknowledged, and is not stored`,
      at: sent.asked,
    },
  ];
}

/** Only sends with one attempt: an earlier attempt can have been stored before the refusal. */
function refusedButStored(operations: Operation[], row: Message | undefined): Finding[] {
  const refused = operations.find(
    ({ deed, refused, attempts }) => deed === 'send' && refused !== undefined && attempts === 1,
  );
  if (refused === undefined || row === undefined) return [];
  return [
    {
      promise: 'P1',
      kind: 'different',
      text: `${refused.body} was refused, and is stored`,
      at: refused.asked,
    },
  ];
}

/** The row must match its latest acknowledged change, or a later change whose answer was lost. */
function mismatchesOf(operations: Operation[], row: Message | undefined): Finding[] {
  if (row === undefined) return [];
  const done = operations
    .filter(isDone)
    .flatMap(({ answers, asked }) => answers.map((answer) => ({ answer, asked })));
  const last = done.toSorted((a, b) => b.answer.version - a.answer.version)[0];
  const finding = (what: string, at?: number): Finding[] => [
    { promise: 'P5', kind: 'lost', text: `message ${row.id} (“${row.body}”): ${what}`, at },
  ];
  if (last !== undefined && last.answer.version > row.version)
    return finding(
      `version ${last.answer.version} was acknowledged, ${row.version} is stored`,
      last.asked,
    );
  if (last?.answer.version === row.version)
    return last.answer.body === row.body
      ? []
      : finding(`“${last.answer.body}” was acknowledged`, last.asked);
  const open = operations.filter(
    (one) => !isDone(one) && (one.answered === undefined || one.attempts > 1),
  );
  return open.some(({ deed, body }) => (deed === 'delete' ? '' : body) === row.body)
    ? []
    : finding('nobody has said that');
}
