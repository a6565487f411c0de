/**
 * Limits the packets and bytes of a connection, of any kind: commands, unknown events, pings. Counts them before they
 * are parsed; commands have separate limits, too. Packets beyond the budget are refused, and a connection that
 * continues to send them is closed.
 *
 * Attack: a connection sends too many packets, or packets that are not commands. Test: flood.test.ts.
 */
import type { Server } from 'socket.io';
import type { EngineConnection } from './connection-slots.ts';
import { packetRate } from '../../shared/limits.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../node/clock.ts';

interface Allowance {
  burst: number;
  second: number;
}

interface Budget {
  packets: number;
  bytes: number;
  binaryPackets: number;
  binaryBytes: number;
  at: number;
}

const kinds = ['packets', 'bytes', 'binaryPackets', 'binaryBytes'] as const;

interface Counted {
  budget: Budget;
  isExhausted: boolean;
  refusalsLeft: number;
}

export interface PacketBudgets {
  isExhausted(connection: EngineConnection): boolean;
  /** Shares one budget among all connections of this account. */
  join(connection: EngineConnection, userId: string): void;
}

/** Matches the packet that announces the bytes of a `file:chunk`. Other encoders may add spaces. */
const announcesFile = /^5\d+-\d*\s*\[\s*"file:chunk"/;

export function openPacketBudgets(
  { io, config, clock }: { io: Pick<Server, 'engine'>; config: Config; clock: Clock },
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
    at: clock.now(),
  });
  const full = () => filled((_kind, { burst }) => burst * scale);
  const isHalfFull = (budget: Budget): boolean =>
    kinds.every((kind) => budget[kind] > (packetRate[kind].burst * scale) / 2);

  const spend = (budget: Budget, data: string | Buffer, isOfFile: boolean): boolean => {
    const seconds = ((clock.now() - budget.at) / 1_000) * scale;
    Object.assign(
      budget,
      filled((kind, { burst, second }) => Math.min(burst * scale, budget[kind] + seconds * second)),
    );
    const packets = isOfFile ? 'binaryPackets' : 'packets';
    const bytes = isOfFile && typeof data !== 'string' ? 'binaryBytes' : 'bytes';
    const size = Buffer.byteLength(data);
    if (budget[packets] < 1 || budget[bytes] < size) return false;
    budget[packets] -= 1;
    budget[bytes] -= size;
    return true;
  };

  io.engine.on('connection', (connection: EngineConnection) => {
    const mine: Counted = {
      budget: full(),
      isExhausted: false,
      refusalsLeft: packetRate.maxRefused,
    };
    counted.set(connection, mine);
    // Binary packets follow the packet that announces them.
    let bringsFile = false;
    connection.on('packet', ({ type, data = '' }: { type: string; data?: string | Buffer }) => {
      if (type === 'message' && typeof data === 'string') bringsFile = announcesFile.test(data);
      mine.isExhausted = !spend(mine.budget, data, bringsFile);
      if (mine.isExhausted && (mine.refusalsLeft -= 1) === 0) cutOff(connection);
      // A connection that has slowed down gets its refusals back.
      if (isHalfFull(mine.budget)) mine.refusalsLeft = packetRate.maxRefused;
    });
  });

  return {
    isExhausted: (connection) => counted.get(connection)?.isExhausted ?? false,
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
