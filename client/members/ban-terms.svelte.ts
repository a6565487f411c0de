/** The terms of a ban, while a moderator enters them. */
import { limits } from '../../shared/limits.ts';
import { lengthError } from '../forms/rules.ts';

export class BanTerms {
  /** Seconds as text. Empty: until unbanned. */
  seconds = $state('');
  /** Seconds as text. Empty: no messages are deleted. */
  purged = $state('');
  reason = $state('');

  readonly tooLong = $derived(lengthError(this.reason.normalize('NFKC').trim(), limits.banReason));

  get input(): { reason?: string; seconds?: number; deleteMessages?: number } {
    const { reason, seconds, purged } = this;
    return {
      ...(reason.trim() !== '' && { reason }),
      ...(seconds !== '' && { seconds: Number(seconds) }),
      ...(purged !== '' && { deleteMessages: Number(purged) }),
    };
  }
}
