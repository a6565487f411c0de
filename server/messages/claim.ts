import type { Account } from '../../shared/accounts.ts';

export interface Claim {
  user: Pick<Account, 'id' | 'kind' | 'scopes'>;
  timelineId: string;
}
