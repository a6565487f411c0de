/**
 * Shares the connections to the database fairly. The node's own work (publishing, writing messages, finding lost
 * deliveries) is not limited. Each account has a share; all requests without an account have one together, so that
 * neither side shuts out the other. The account that has used the least time recently comes first. All busy accounts
 * together have only a few connections, so that for a quiet account the database is nearly idle.
 */
import type { Sequelize } from 'sequelize';
import { ChatError } from '../../shared/failure.ts';

/** How many connections may be held at a time. */
interface Bounds {
  /** One account, on all its sockets on this node. */
  account: number;
  accounts: number;
  /** All busy accounts together. */
  busy: number;
  strangers: number;
}

/** The node itself uses the rest of the pool's 20 connections. */
export const bounds = {
  commands: { account: 3, accounts: 9, busy: 2, strangers: 3 },
  /** For the bytes of files. An account that sends or reads a large file is busy. */
  files: { account: 2, accounts: 4, busy: 3, strangers: 0 },
} satisfies Record<string, Bounds>;

/**
 * An account is busy if it has recently held connections for more than `heldMs` milliseconds; a half of the time is
 * forgotten every `halfLife`. That is 3 % of one connection for long, or some fifty reads at once. Clicking through
 * channels stays far below. A client that reconnects with 200 rooms exceeds it, and still takes only a second or two.
 */
const busy = { heldMs: 200, halfLife: 5_000 };
/** How many milliseconds a statement waits before it is refused, and how many may wait in one share. */
const waitBounds = { ms: 5_000, waiting: 500 };
/** After so many uses, accounts that have used nothing for a while are removed. */
const forgetEvery = 1_000;

/** How much one account uses of the pool, or all requests without one. */
interface Usage {
  readonly isStrangers: boolean;
  holding: number;
  /** The time recently held, as it was `at` that moment. */
  heldMs: number;
  at: number;
  waiting: (() => void)[];
}

/** Access to the pool for one account. It is a class because Sequelize copies plain objects. */
export class Share {
  /**
   * Waits for a turn. Resolves to the function that ends it.
   * @throws ChatError busy
   */
  readonly enter: () => Promise<() => void>;
  readonly isBusy: () => boolean;

  constructor(enter: Share['enter'], isBusy: Share['isBusy']) {
    this.enter = enter;
    this.isBusy = isBusy;
  }
}

export interface Shares {
  of(userId: string): Share;
  strangers: Share;
}

export function openShares(most: Bounds): Shares {
  const usages = new Map<string, Usage>();
  const waiting = new Set<Usage>();
  const holding = { accounts: 0, busy: 0 };
  let uses = 0;

  const usageOf = (who: string): Usage => {
    const isStrangers = who === 'strangers';
    const known = usages.get(who);
    const usage = known ?? { isStrangers, holding: 0, heldMs: 0, at: 0, waiting: [] };
    if (known === undefined) usages.set(who, usage);
    return usage;
  };

  const canEnter = (usage: Usage): boolean =>
    usage.isStrangers
      ? usage.holding < most.strangers
      : usage.holding < most.account &&
        holding.accounts < most.accounts &&
        (holding.busy < most.busy || !isBusy(usage));

  const hold = (usage: Usage): (() => void) => {
    const began = performance.now();
    const count = usage.isStrangers ? 0 : 1;
    const countBusy = isBusy(usage) ? count : 0;
    usage.holding += 1;
    holding.accounts += count;
    holding.busy += countBusy;
    return () => {
      const now = performance.now();
      usage.heldMs = heldLately(usage) + now - began;
      usage.at = now;
      usage.holding -= 1;
      holding.accounts -= count;
      holding.busy -= countBusy;
      if ((uses += 1) % forgetEvery === 0) forget();
      admitWaiting();
    };
  };

  /** Starts as many waiting statements as may run, first those of accounts that have used the least. */
  const admitWaiting = (): void => {
    for (;;) {
      const able = [...waiting].filter(canEnter);
      if (able.length === 0) return;
      const first = able.reduce((a, b) => (heldLately(b) < heldLately(a) ? b : a));
      first.waiting.shift()?.();
      if (first.waiting.length === 0) waiting.delete(first);
    }
  };

  const forget = (): void => {
    for (const [who, usage] of usages)
      if (usage.holding + usage.waiting.length === 0 && heldLately(usage) < 1) usages.delete(who);
  };

  const enter = async (who: string): Promise<() => void> => {
    const usage = usageOf(who);
    if (usage.waiting.length === 0 && canEnter(usage)) return hold(usage);
    if (usage.waiting.length >= waitBounds.waiting) throw overloaded();
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(timer);
        resolve(hold(usage));
      };
      const timer = setTimeout(() => {
        usage.waiting = usage.waiting.filter((other) => other !== turn);
        if (usage.waiting.length === 0) waiting.delete(usage);
        reject(overloaded());
      }, waitBounds.ms);
      usage.waiting.push(turn);
      waiting.add(usage);
    });
  };

  const of = (who: string) =>
    new Share(
      () => enter(who),
      () => isBusy(usageOf(who)),
    );
  return { of, strangers: of('strangers') };
}

const heldLately = ({ heldMs, at }: Usage): number =>
  heldMs * 2 ** ((at - performance.now()) / busy.halfLife);

const isBusy = (usage: Usage): boolean => heldLately(usage) > busy.heldMs;

const overloaded = () =>
  new ChatError('busy', 'The server is busy. Try again shortly.', {
    retryAfterMs: 1_000,
  });

/** The part of Sequelize's connection manager that is replaced. */
interface ConnectionManager {
  getConnection(options?: { share?: Share }): Promise<object>;
  releaseConnection(connection: object): void;
  destroyConnection(connection: object): Promise<void>;
}

/** Makes each statement that has a share wait for its turn before it takes a connection. */
export function shareConnections(sequelize: Sequelize): Sequelize {
  const manager = sequelize.connectionManager as unknown as ConnectionManager;
  const take = manager.getConnection.bind(manager);
  const release = manager.releaseConnection.bind(manager);
  const destroy = manager.destroyConnection.bind(manager);
  const leaving = new WeakMap<object, () => void>();
  manager.getConnection = async (options) => {
    if (options?.share === undefined) return take(options);
    const leave = await options.share.enter();
    try {
      const connection = await take(options);
      leaving.set(connection, leave);
      return connection;
    } catch (error) {
      leave();
      throw error;
    }
  };
  const leave = (connection: object) => {
    leaving.get(connection)?.();
    leaving.delete(connection);
  };
  manager.releaseConnection = (connection) => {
    leave(connection);
    release(connection);
  };
  manager.destroyConnection = (connection) => {
    leave(connection);
    return destroy(connection);
  };
  return sequelize;
}
