/** P7: connected members see the correct presence of all members. */
import type { Finding } from '../findings.ts';
import type { Ended } from '../history.ts';

export const checkPresence = ({ history: { present }, stored, holdings }: Ended): Finding[] =>
  holdings
    .filter(({ connected, userId }) => connected && userId in stored.members)
    .flatMap(({ who, presence }) => {
      const wrong = Object.keys(stored.members).filter(
        (userId) => ((presence[userId] ?? 'offline') !== 'offline') !== present.includes(userId),
      );
      return wrong.map((userId): Finding => ({
        promise: 'P7',
        kind: 'wrong presence',
        text: `${who} sees ${userId} as ${presence[userId] ?? 'offline'}`,
      }));
    });
