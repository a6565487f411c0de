/**
 * How much a connection may send, whatever it is: commands with an answer and without, names that are none,
 * pings. Counted here, before anything looks at it; commands have limits of their own. Who sends more is refused
 * at once, and is cut off if it goes on.
 */
import type { App } from '../app.ts';
import type { EngineConnection } from './connection-slots.ts';
import { packetRate } from '../../shared/limits.ts';

/** What may be sent at once, and in the long run each second. */
interface Allowance {
  burst: number;
  second: number;
}

interface Budget {
  packets: number;
  bytes: number;
  /** Of what comes as bytes. */
  binaryPackets: number;
  binaryBytes: number;
  /** When this was left. */
  at: number;
}

const kinds = ['packets', 'bytes', 'binaryPackets', 'binaryBytes'] as const;

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
  const filled = (of: (kind: (typeof kinds)[number], allowance: Allowance) => number): Budget => ({
    ...(Object.fromEntries(kinds.map((kind) => [kind, of(kind, packetRate[kind])])) as Record<
      (typeof kinds)[number],
      number
    >),
    at: performance.now(),
  });
  const full = () => filled((_kind, { burst }) => burst * scale);
  const isHalfFull = (budget: Budget): boolean =>
    kinds.every((kind) => budget[kind] > (packetRate[kind].burst * scale) / 2);

  /** Whether there was enough. What comes as bytes counts apart, and so does the packet that says that some follow. */
  const spend = (budget: Budget, data: string | Buffer = ''): boolean => {
    const seconds = ((performance.now() - budget.at) / 1_000) * scale;
    Object.assign(
      budget,
      filled((kind, { burst, second }) => Math.min(burst * scale, budget[kind] + seconds * second)),
    );
    const isBinary = typeof data !== 'string';
    const packets = isBinary || data.startsWith('5') ? 'binaryPackets' : 'packets';
    const bytes = isBinary ? 'binaryBytes' : 'bytes';
    const size = Buffer.byteLength(data);
    if (budget[packets] < 1 || budget[bytes] < size) return false;
    budget[packets] -= 1;
    budget[bytes] -= size;
    return true;
  };

  io.engine.on('connection', (connection: EngineConnection) => {
    const mine: Counted = { budget: full(), isDry: false, patience: packetRate.patience };
    counted.set(connection, mine);
    connection.on('packet', ({ data }: { data?: string | Buffer }) => {
      mine.isDry = !spend(mine.budget, data);
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
