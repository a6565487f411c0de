/**
 * How much a connection may send, whatever it is: commands with an answer and without, names that are none,
 * pings. Counted here, before anything looks at it; commands have limits of their own. Who sends more is refused
 * at once, and is cut off if it goes on.
 */
import type { App } from '../app.ts';
import type { EngineConnection } from './connection-slots.ts';
import { packetRate } from '../../shared/limits.ts';

interface Budget {
  packets: number;
  bytes: number;
  /** When this was left. */
  at: number;
}

interface Counted {
  budget: Budget;
  /** The last packet was more than there was. */
  isDry: boolean;
  /** How many more of those before the end. */
  patience: number;
}

export interface PacketBudgets {
  /** Whether what a connection sent last was too much. */
  isDry(connection: EngineConnection): boolean;
  /** From now on all connections of an account draw on one budget. */
  join(connection: EngineConnection, userId: string): void;
}

/** Counts what each connection sends; `cutOff` ends one that goes on and on. */
export function openPacketBudgets(
  { io, config }: Pick<App, 'io' | 'config'>,
  cutOff: (connection: EngineConnection) => void,
): PacketBudgets {
  const scale = config.PARLEY_RATE_SCALE;
  const counted = new WeakMap<EngineConnection, Counted>();
  const accounts = new Map<string, { budget: Budget; connections: number }>();
  const full = (): Budget => ({
    packets: packetRate.packets.burst * scale,
    bytes: packetRate.bytes.burst * scale,
    at: performance.now(),
  });

  const isHalfFull = ({ packets, bytes }: Budget): boolean => {
    const all = full();
    return packets > all.packets / 2 && bytes > all.bytes / 2;
  };

  /** Whether there was enough. */
  const spend = (budget: Budget, bytes: number): boolean => {
    const now = performance.now();
    const seconds = ((now - budget.at) / 1_000) * scale;
    const { packets, bytes: size } = packetRate;
    budget.packets = Math.min(packets.burst * scale, budget.packets + seconds * packets.second);
    budget.bytes = Math.min(size.burst * scale, budget.bytes + seconds * size.second);
    budget.at = now;
    if (budget.packets < 1 || budget.bytes < bytes) return false;
    budget.packets -= 1;
    budget.bytes -= bytes;
    return true;
  };

  io.engine.on('connection', (connection: EngineConnection) => {
    const mine: Counted = { budget: full(), isDry: false, patience: packetRate.patience };
    counted.set(connection, mine);
    connection.on('packet', ({ data }: { data?: string | Buffer }) => {
      mine.isDry = !spend(mine.budget, data === undefined ? 0 : Buffer.byteLength(data));
      if (mine.isDry && (mine.patience -= 1) === 0) cutOff(connection);
      // Who has slowed down begins anew.
      if (isHalfFull(mine.budget)) mine.patience = packetRate.patience;
    });
  });

  return {
    isDry: (connection) => counted.get(connection)?.isDry ?? false,
    join(connection, userId) {
      const mine = counted.get(connection);
      if (mine === undefined) return;
      const account = accounts.get(userId) ?? { budget: mine.budget, connections: 0 };
      accounts.set(userId, account);
      account.connections += 1;
      mine.budget = account.budget;
      connection.once('close', () => {
        account.connections -= 1;
        if (account.connections === 0) accounts.delete(userId);
      });
    },
  };
}
