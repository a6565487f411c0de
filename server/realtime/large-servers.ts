/** The servers that this node knows to be large. The feature `members` implements it. */
export interface LargeServers {
  has(serverId: string): boolean;
  add(serverId: string): void;
  forget(serverId: string): void;
  /** Reads the large servers. Returns the known ones that are no longer large, for the caller to forget. */
  read(): Promise<string[]>;
  reset(): void;
}
