/** P8: no process crashes, all nodes are ready again, and every operation is answered in the end. */
import type { Finding } from '../findings.ts';
import type { Ended } from '../history.ts';

const expected = new Set(['not_found', 'conflict', 'forbidden']);

export const checkAlive = ({ history }: Ended): Finding[] => [
  ...history.crashes.map(({ at, what }) => finding(what, at)),
  ...history.notReady.map((why) => finding(`is not ready: ${why}`)),
  ...history.operations.flatMap(({ deed, answered, asked, refused, messageId }) => {
    if (answered === undefined) return [finding(`${deed} ${messageId} was never answered`, asked)];
    if (refused === undefined || expected.has(refused)) return [];
    return [finding(`${deed} ${messageId} was answered with “${refused}”`, asked)];
  }),
];

const finding = (text: string, at?: number): Finding => ({
  promise: 'P8',
  kind: 'not recovered',
  text,
  at,
});
