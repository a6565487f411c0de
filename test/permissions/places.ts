import { hidden, granted, serverMembers, groupMembers, writers, type Cells } from './kinds.ts';
import type { Asking } from './row.ts';
import type { Scene } from './scene.ts';

interface Row {
  what: string;
  cells: Cells;
  keeps: true;
}

/** The same input in a channel, in two private ones, in an announcement channel, in a group and in a pair. */
export function everywhere<I>(
  input: (where: { timelineId: string }, scene: Scene) => I | Promise<I>,
  inPairs: Cells,
  how = '',
): (Asking<I> & Row)[] {
  const rows: (Asking<I> & Omit<Row, 'keeps'>)[] = [
    {
      what: 'in a channel',
      inPlace: ({ channelId }, scene) => input({ timelineId: channelId }, scene),
      cells: serverMembers,
    },
    {
      what: 'in a private channel',
      inPlace: async ({ inside }, scene) => input({ timelineId: await inside() }, scene),
      cells: serverMembers,
    },
    {
      what: 'in a private channel without oneself',
      inPlace: async ({ outside }, scene) => input({ timelineId: await outside() }, scene),
      cells: hidden,
    },
    {
      what: 'in an announcement channel',
      inPlace: async ({ announced }, scene) =>
        input({ timelineId: (await announced()).timelineId }, scene),
      // Commands that write in a pair need the same right here.
      cells: inPairs === writers ? granted : serverMembers,
    },
    {
      what: 'in a group',
      inGroup: ({ conversationId }, scene) => input({ timelineId: conversationId }, scene),
      cells: groupMembers,
    },
    {
      what: 'in a conversation of two',
      inPair: ({ conversationId }, scene) => input({ timelineId: conversationId }, scene),
      cells: inPairs,
    },
  ];
  return rows.map((row) => ({ ...row, what: how + row.what, keeps: true }));
}
