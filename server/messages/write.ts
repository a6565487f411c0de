import type { Account } from '../../shared/accounts.ts';
import type { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { PartWriter, SendAsk } from './part.ts';

interface Asked {
  user: Account;
  timelineId: string;
  id: string;
}

export type Write = Asked &
  (
    | { do: 'send'; body: string; ask?: SendAsk }
    | { do: 'edit'; body: string; base: number | undefined }
    /** The caller’s address, for the audit log. Undefined if the deletion is in the log already. */
    | { do: 'delete'; address: string | undefined }
    | { do: 'part'; part: PartWriter; ask: unknown }
  );

/** The result of one write: the message as it is now, or the refusal. A refusal does not affect other writes. */
export type Outcome = Message | ChatError;
/** Not written yet: its timeline is locked, and the other writes of the batch do not wait for it. */
export type LockBusy = 'held';
/** Whether a flush skips locked timelines, or waits for their locks. */
export type Locking = 'at once' | 'in turn';
export type Flush = (batch: Write[], locking: Locking) => Promise<(Outcome | LockBusy)[]>;
