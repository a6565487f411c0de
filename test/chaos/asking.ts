/** Repeats a request until it is answered, as a user who presses Retry, and records the outcome. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError, failures } from '../../shared/failure.ts';
import type { AnsweredMessage, OperationKind, Operation } from './history.ts';

/** Milliseconds before a retry. */
const pause = 200;

export class OperationLog {
  readonly now: () => number;
  readonly #operations: Operation[];
  #givenUp = false;

  constructor(now: () => number, operations: Operation[]) {
    this.now = now;
    this.#operations = operations;
  }

  /** Stops retrying: open operations stay unanswered. */
  giveUp(): void {
    this.#givenUp = true;
  }

  note(
    deed: OperationKind,
    userId: string,
    what: Pick<Operation, 'timelineId' | 'messageId' | 'body' | 'device'> = {},
  ): Operation {
    const operation = { deed, userId, ...what, asked: this.now(), attempts: 0, answers: [] };
    this.#operations.push(operation);
    return operation;
  }

  async insist(
    operation: Operation,
    ask: () => Promise<AnsweredMessage | undefined>,
  ): Promise<void> {
    const done = await this.until(async () => {
      operation.attempts += 1;
      const answer = await ask();
      if (answer) operation.answers.push(answer);
    });
    if (done === undefined) return;
    operation.answered = this.now();
    if (done !== 'yes') operation.refused = done;
  }

  /** Returns `yes`, the code of a refusal, or undefined after `giveUp`. */
  async until(ask: () => Promise<unknown> | undefined): Promise<string | undefined> {
    while (!this.#givenUp) {
      try {
        await ask();
        return 'yes';
      } catch (error) {
        if (error instanceof ChatError && !failures[error.code].retryable) return error.code;
        if (!(error instanceof ChatError || error instanceof NoResponse)) throw error;
        await sleep(pause);
      }
    }
    return undefined;
  }
}
