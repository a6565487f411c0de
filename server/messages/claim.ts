import type { Account } from '../../shared/accounts.ts';

/** Somebody who wants something in a timeline. */
export interface Claim {
  user: Pick<Account, 'id' | 'kind' | 'scopes'>;
  timelineId: string;
}
