/** The entry point of all commands: name → limit → parse → run → answer. No handler gets input that was not parsed. */
import type { z } from 'zod';
import { personIdOf } from '../shared/accounts.ts';
import { ChatError, forbidden, invalid } from '../shared/failure.ts';
import { commands, isCommandName, type Result } from '../shared/protocol.ts';
import type { CommandRate } from '../shared/limits.ts';
import type { Contract } from '../shared/contract.ts';
import { takeAnswer } from './admission/answered-bytes.ts';
import { attempt, toFailure } from './node/attempt.ts';
import type { Caller, Node } from './caller.ts';
import type { ChatSocket } from './realtime/chat-socket.ts';

/** Handles packets: `name, input, ack`. Drops a packet without an ack, because it cannot be answered. */
export function acceptCommands(
  caller: Caller,
  socket: ChatSocket,
  { ready, isTooMuch }: { ready: Promise<boolean>; isTooMuch: () => boolean },
): void {
  // `use` receives each packet first. It never calls `next`, so nothing is emitted, not even 'error'.
  socket.use((packet: unknown[]) => {
    const ack = packet[packet.length - 1];
    if (typeof ack !== 'function' || socket.data.answers.ended) return;
    const [name, ...inputs] = packet.slice(0, -1);
    if (isTooMuch()) {
      (ack as (result: Result<never>) => void)({
        ok: false,
        error: toFailure(caller.node, flooded, name),
      });
      return;
    }
    const answered = ready.then(async (isReady) => {
      if (isReady) (ack as (result: Result<unknown>) => void)(await answer(caller, name, inputs));
    });
    socket.data.answers.add(answered);
  });
}

const flooded = new ChatError('rate_limited', 'You’re going far too fast. Slow down.', {
  retryAfterMs: 5_000,
});

async function answer(caller: Caller, name: unknown, inputs: unknown[]): Promise<Result<unknown>> {
  return timed(caller.node, name, async () => {
    if (inputs.length !== 1) throw invalid('A command must have one input object and one ack.');
    return run(caller, name, inputs[0]);
  });
}

export async function timed<T>(
  node: Pick<Node, 'log' | 'metrics'>,
  name: unknown,
  work: () => Promise<T>,
): Promise<Result<T>> {
  const stop = node.metrics.commands.startTimer();
  const result = await attempt(node, name, work);
  // Unknown names share one label: clients can send any name.
  const command = isCommandName(name) ? name : 'unknown';
  stop({ command, result: result.ok ? 'ok' : result.error.code });
  return result;
}

/** Runs a command of a socket or of the gateway. @throws ChatError */
export async function run(caller: Caller, name: unknown, input: unknown): Promise<unknown> {
  if (!isCommandName(name))
    throw invalid(
      typeof name === 'string'
        ? `There’s no command ${JSON.stringify(name.slice(0, 80))}.`
        : 'A command’s name must be a string.',
    );
  const contract: Contract = commands[name];
  if (contract.who === 'people' && caller.user.kind === 'bot')
    throw forbidden('Bots can’t do this; their owner can.');
  await takeTurn(caller, contract.rate);
  const parsed = parse(contract.input, input);
  await takeCost(caller, contract, parsed);
  const handle = caller.node.handlers[name] as Handle;
  const work = () => handle(caller, parsed);
  return contract.queued === false ? work() : caller.node.queues.run(caller, contract.rate, work);
}

type Handle = (caller: Caller, input: unknown) => Promise<unknown>;

/** Charges what an input costs beyond the one point of every command. */
async function takeCost({ node, user }: Caller, contract: Contract, input: unknown): Promise<void> {
  const more = (contract.cost?.(input) ?? 1) - 1;
  if (more > 0) await node.limits.take(contract.rate, user.id, more);
}

/** Charges the account first, so that commands over its own limit do not use up the limit of its address. */
async function takeTurn({ node, user, address }: Caller, rate: CommandRate): Promise<void> {
  await node.limits.take(rate, user.id);
  // Chunks come by the hundred each second: they would use up the limit that all accounts at an address share.
  if (rate !== 'chunk') await node.limits.takeAt(address, user.id);
  await takeAnswer(node, personIdOf(user), rate);
}

/** @throws ChatError invalid, with the first field that does not fit */
export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.');
  throw invalid(issue?.message ?? 'That value isn’t allowed.', field === '' ? undefined : field);
}
