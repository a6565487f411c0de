/** Requests to change messages, as the writer takes them, and their outcomes. */
import type { Account } from '../../shared/accounts.ts';
import type { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import type { PartWriter, SendAsk } from './part.ts';

interface Asked {
  user: Account;
  timelineId: string;
  /** The message's. */
  id: string;
}

/** One change that somebody asks for. */
export type Write = Asked &
  (
    | { do: 'send'; body: string; ask?: SendAsk }
    | { do: 'edit'; body: string; base: number | undefined }
    /** From where: what somebody deletes of another's is recorded, unless it is already. */
    | { do: 'delete'; address: string | undefined }
    /** What a feature that adds to messages is asked. */
    | { do: 'part'; part: PartWriter; ask: unknown }
  );

/** What became of each write: the message as it now is, or why not. A refusal fails none of its neighbours. */
export type Outcome = Message | ChatError;
/** Nothing yet: its timeline could not be had at once, and the others were not to wait for it. */
export type LockBusy = 'held';
/** Whether a flush leaves out what is held, or waits for it in line with others. */
export type Locking = 'at once' | 'in turn';
export type Flush = (batch: Write[], locking: Locking) => Promise<(Outcome | LockBusy)[]>;
