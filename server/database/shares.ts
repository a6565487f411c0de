/**
 * Who may use the connections to the database when more want to than there are. The node's own work (telling,
 * writing messages, finding losses) always may. Accounts have a share each; strangers have one together, so that
 * neither those inside nor those outside shut out the others. Whoever has used the least of late comes first, and
 * all who have used a lot have a few between them: a quiet person's statement meets a nearly idle database,
 * whatever the others ask for.
 */
import type { Sequelize } from 'sequelize';
import { ChatError } from '../../shared/failure.ts';

/** Connections at a time, of the pool's 16; the rest is the node's. */
const most = {
  /** of one account, on all its sockets here */
  account: 3,
  accounts: 9,
  /** of the busy accounts, together */
  busy: 2,
  strangers: 3,
};

/**
 * An account is busy that has lately held connections for so many milliseconds, half of which are forgotten
 * every `halfLife`: 3 % of one connection for long, or some fifty reads at once. Who clicks through channels stays
 * far below. A client that comes back with 200 rooms does not, and is done in a second or two all the same.
 */
const busy = { heldMs: 200, halfLife: 5_000 };
/** How long one waits, in milliseconds, and how many may wait in one share: an account's commands are fewer anyway. */
const patience = { ms: 5_000, waiting: 500 };
/** After so many uses, those who have not been here for a while are forgotten. */
const forgetEvery = 1_000;

/** What one account, or all strangers, use of the pool. */
interface Usage {
  readonly isStrangers: boolean;
  holding: number;
  /** As it was `at` that moment. */
  heldMs: number;
  at: number;
  waiting: (() => void)[];
}

/** The way to the pool for somebody. A class, since Sequelize copies what is a plain object. */
export class Share {
  /**
   * Waits for one's turn; answers with how to say that it is over.
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

export function openShares(): Shares {
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

  const mayEnter = (usage: Usage): boolean =>
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
      letIn();
    };
  };

  /** Lets in as many as there is room for, first those who have used the least. */
  const letIn = (): void => {
    for (;;) {
      const able = [...waiting].filter(mayEnter);
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
    if (usage.waiting.length === 0 && mayEnter(usage)) return hold(usage);
    if (usage.waiting.length >= patience.waiting) throw overloaded();
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(timer);
        resolve(hold(usage));
      };
      const timer = setTimeout(() => {
        usage.waiting = usage.waiting.filter((other) => other !== turn);
        if (usage.waiting.length === 0) waiting.delete(usage);
        reject(overloaded());
      }, patience.ms);
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

/** Sequelize's door to the pool. */
interface Door {
  getConnection(options?: { share?: Share }): Promise<object>;
  releaseConnection(connection: object): void;
  destroyConnection(connection: object): Promise<void>;
}

/** Has each statement wait for its share before it takes a connection. */
export function shareConnections(sequelize: Sequelize): Sequelize {
  const door = sequelize.connectionManager as unknown as Door;
  const take = door.getConnection.bind(door);
  const release = door.releaseConnection.bind(door);
  const destroy = door.destroyConnection.bind(door);
  const leaving = new WeakMap<object, () => void>();
  door.getConnection = async (options) => {
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
  door.releaseConnection = (connection) => {
    leave(connection);
    release(connection);
  };
  door.destroyConnection = (connection) => {
    leave(connection);
    return destroy(connection);
  };
  return sequelize;
}
