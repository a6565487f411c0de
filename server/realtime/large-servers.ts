/** The servers that this node knows to be large. The feature `members` implements it. */
export interface LargeServers {
  has(serverId: string): boolean;
  add(serverId: string): void;
  forget(serverId: string): void;
  /** Looks them up. Returns those known here that are large no more, to be forgotten. */
  read(): Promise<string[]>;
  reset(): void;
}
