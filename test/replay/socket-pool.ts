/** Bounds the number of open sockets: closes the one that has been idle longest for the next one. */
export interface PooledSocket {
  close(): void;
}

export class SocketPool {
  readonly #capacity: number;
  readonly #busy = new Set<PooledSocket>();
  /** Longest idle first. */
  readonly #quiet = new Set<PooledSocket>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get taken() {
    return this.#busy.size + this.#quiet.size;
  }

  /** Keeps the socket open during `work`, and afterwards until another one needs its place. */
  async during<T>(socket: PooledSocket, work: () => Promise<T>): Promise<T> {
    this.#quiet.delete(socket);
    this.#busy.add(socket);
    if (this.taken > this.#capacity) this.#clearOne();
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

  /** Closes no busy socket, so the caller must bound the number of busy ones. */
  #clearOne() {
    const [longestQuiet] = this.#quiet;
    if (longestQuiet) this.leave(longestQuiet);
  }
}
