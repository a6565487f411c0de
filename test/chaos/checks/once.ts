/** P2: an id is one message, however often and to whichever nodes it was sent, and every answer names it. */
import type { Finding } from '../findings.ts';
import type { Ended } from '../history.ts';

export const checkOnce = (ended: Ended): Finding[] => [
  ...answersThatDiffer(ended),
  ...storedTwice(ended),
  ...heldTwice(ended),
];

const answersThatDiffer = ({ history }: Ended): Finding[] =>
  history.operations.flatMap(({ messageId, answers, asked, deed }) => {
    const places = new Set(answers.map(({ id, position }) => `${id} at ${position}`));
    const isOther = answers.some(({ id }) => id !== messageId);
    if (messageId === undefined || (places.size <= 1 && !isOther)) return [];
    const text = `${deed} ${messageId} was answered with ${[...places].join(' and ')}`;
    return [{ promise: 'P2', kind: 'doubled', text, at: asked }];
  });

/** Bodies of sends are unique, so the same body under another id is a duplicate. */
function storedTwice({ history, stored }: Ended): Finding[] {
  const first = new Map(
    history.operations.flatMap(({ deed, messageId, body, asked }) =>
      deed === 'send' ? [[body ?? '', { messageId, asked }] as const] : [],
    ),
  );
  return stored.timelines.flatMap(({ messages }) =>
    messages.flatMap(({ id, body }): Finding[] => {
      const sent = first.get(body);
      if (sent === undefined || sent.messageId === id) return [];
      return [
        {
          promise: 'P2',
          kind: 'doubled',
          text: `“${body}” is stored as ${id} too`,
          at: sent.asked,
        },
      ];
    }),
  );
}

const heldTwice = ({ holdings }: Ended): Finding[] =>
  holdings.flatMap(({ who, timelines }) =>
    Object.values(timelines).flatMap((rows): Finding[] => {
      const doubled = rows.length - new Set(rows.map(({ id }) => id)).size;
      return doubled === 0
        ? []
        : [{ promise: 'P2', kind: 'doubled', text: `${who} holds ${doubled} messages twice` }];
    }),
  );
