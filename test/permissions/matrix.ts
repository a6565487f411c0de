import { disjoint } from '../../shared/contract.ts';
import type { CommandName } from '../../shared/protocol.ts';
import { accountRows } from './accounts.ts';
import { administrationRows } from './administration.ts';
import { channelRows } from './channels.ts';
import { conversationRows } from './conversations.ts';
import type { PermissionRows } from './row.ts';
import { serverRows } from './servers.ts';
import { tieRows } from './ties.ts';
import { timelineRows } from './timelines.ts';

export const matrix: PermissionRows<CommandName> = disjoint([
  accountRows,
  administrationRows,
  serverRows,
  channelRows,
  timelineRows,
  conversationRows,
  tieRows,
]);
