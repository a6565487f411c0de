import type { Account } from '../../shared/accounts.ts';

/** A person, and the timeline in which they want to act. */
export interface Claim {
  user: Pick<Account, 'id' | 'kind' | 'scopes'>;
  timelineId: string;
}
