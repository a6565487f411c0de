/**
 * Shares the connections to the database fairly. The node's own work (publishing, writing messages, finding lost
 * deliveries) is not limited. Each account has a share; all requests without an account have one together, so that
 * neither side shuts out the other. The account that has used the least time recently comes first. All busy accounts
 * together have only a few connections, so that for a quiet account the database is nearly idle.
 */
import type { Sequelize } from 'sequelize';
import { busy } from '../../shared/failure.ts';
import { Usage } from './usage.ts';

/** The most connections that are held at a time. */
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
 * forgotten every `halfLife`. This equals 3 % of one connection for long, or some fifty reads at once. Clicking through
 * channels stays far below. A client that reconnects with 200 rooms exceeds it, and still takes only a second or two.
 */
const busyAfter = { heldMs: 200, halfLife: 5_000 };
/** How long a statement waits, in milliseconds, and how many wait in one share, before statements are refused. */
const waitBounds = { ms: 5_000, waiting: 500 };

interface Holder {
  readonly who: string;
  holding: number;
  waiting: (() => void)[];
}

const strangers = 'strangers';

/** Access to the pool for one account. It is a class because Sequelize copies plain objects. */
export class Share {
  /** Waits for a turn. Resolves to the function that ends it. @throws ChatError busy */
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

export function openShares(limits: Bounds): Shares {
  const held = new Usage(busyAfter.halfLife);
  const isBusy = (who: string) => held.lately(who) > busyAfter.heldMs;
  /** Only accounts that hold or wait for a connection. */
  const holders = new Map<string, Holder>();
  const holding = { accounts: 0, busy: 0 };

  const canEnter = ({ who, holding: mine }: Holder): boolean =>
    who === strangers
      ? mine < limits.strangers
      : mine < limits.account &&
        holding.accounts < limits.accounts &&
        (holding.busy < limits.busy || !isBusy(who));

  const hold = (holder: Holder): (() => void) => {
    const { who } = holder;
    const began = performance.now();
    const count = who === strangers ? 0 : 1;
    const countBusy = isBusy(who) ? count : 0;
    holder.holding += 1;
    holding.accounts += count;
    holding.busy += countBusy;
    return () => {
      held.add(who, performance.now() - began);
      holder.holding -= 1;
      holding.accounts -= count;
      holding.busy -= countBusy;
      forgetIdle(holder);
      admitWaiting();
    };
  };

  const forgetIdle = ({ who, holding, waiting }: Holder) => {
    if (holding + waiting.length === 0) holders.delete(who);
  };

  const admitWaiting = (): void => {
    for (;;) {
      const able = [...holders.values()].filter((one) => one.waiting.length > 0 && canEnter(one));
      if (able.length === 0) return;
      const first = able.reduce((a, b) => (held.of(b.who) < held.of(a.who) ? b : a));
      first.waiting.shift()?.();
    }
  };

  const enter = async (who: string): Promise<() => void> => {
    const holder = holders.get(who) ?? { who, holding: 0, waiting: [] };
    holders.set(who, holder);
    if (holder.waiting.length === 0 && canEnter(holder)) return hold(holder);
    if (holder.waiting.length >= waitBounds.waiting) throw overloaded();
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(timer);
        resolve(hold(holder));
      };
      const timer = setTimeout(() => {
        holder.waiting = holder.waiting.filter((other) => other !== turn);
        forgetIdle(holder);
        reject(overloaded());
      }, waitBounds.ms);
      holder.waiting.push(turn);
      // Accounts with equal use take their turns in the order in which they began to wait.
      if (holder.waiting.length === 1 && holders.delete(who)) holders.set(who, holder);
    });
  };

  const of = (who: string) =>
    new Share(
      () => enter(who),
      () => isBusy(who),
    );
  return { of, strangers: of(strangers) };
}

const overloaded = () => busy('The server is busy. Try again shortly.', 1_000);

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
