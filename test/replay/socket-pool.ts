/** Only so many sockets are open at a time: the one that has been quiet longest is closed for the next. */
export interface PooledSocket {
  close(): void;
}

export class SocketPool {
  readonly #most: number;
  readonly #busy = new Set<PooledSocket>();
  /** The longest quiet first. */
  readonly #quiet = new Set<PooledSocket>();

  constructor(most: number) {
    this.#most = most;
  }

  get taken() {
    return this.#busy.size + this.#quiet.size;
  }

  /** Keeps the socket open for as long as `work` takes, and after that until another one needs its place. */
  async during<T>(socket: PooledSocket, work: () => Promise<T>): Promise<T> {
    this.#quiet.delete(socket);
    this.#busy.add(socket);
    if (this.taken > this.#most) this.#clearOne();
    return work().finally(() => {
      this.#busy.delete(socket);
      this.#quiet.add(socket);
    });
  }

  leave(socket: PooledSocket) {
    this.#quiet.delete(socket);
    socket.close();
  }

  clear() {
    for (const socket of this.#quiet) this.leave(socket);
  }

  /** When all are busy nobody is sent away: their number is the caller's to bound. */
  #clearOne() {
    const [longestQuiet] = this.#quiet;
    if (longestQuiet) this.leave(longestQuiet);
  }
}
