/** The one way in: name → limit → parse → run → answer. Nothing that a client sends gets past it unread. */
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

/**
 * Listens to everything that a socket says. A packet is `name, input, ack`; one without an ack has nobody to
 * answer and is dropped. What `isTooMuch` is refused before anybody looks at it; all else waits until it is known
 * whether the socket is `ready`.
 */
export function acceptCommands(
  caller: Caller,
  socket: ChatSocket,
  { ready, isTooMuch }: { ready: Promise<boolean>; isTooMuch: () => boolean },
): void {
  // `use` sees each packet first, and as it never calls `next`, nothing is emitted: not even 'error'.
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
    if (inputs.length !== 1) throw invalid('A command takes one input object and one ack.');
    return run(caller, name, inputs[0]);
  });
}

/** Answers a command; how long it took and what came of it is counted. */
export async function timed<T>(
  node: Pick<Node, 'log' | 'metrics'>,
  name: unknown,
  work: () => Promise<T>,
): Promise<Result<T>> {
  const stop = node.metrics.commands.startTimer();
  const result = await attempt(node, name, work);
  // Names that clients make up are counted as one.
  const command = isCommandName(name) ? name : 'unknown';
  stop({ command, result: result.ok ? 'ok' : result.error.code });
  return result;
}

/**
 * Runs one command for one caller; sockets and the gateway both come here.
 * @throws ChatError
 */
export async function run(caller: Caller, name: unknown, input: unknown): Promise<unknown> {
  if (!isCommandName(name))
    throw invalid(
      typeof name === 'string'
        ? `There’s no command ${JSON.stringify(name.slice(0, 80))}.`
        : 'A command’s name is text.',
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

/** A handler whose input was read by its own contract. */
type Handle = (caller: Caller, input: unknown) => Promise<unknown>;

/** What an input costs beyond the one point that every command does. */
async function takeCost({ node, user }: Caller, contract: Contract, input: unknown): Promise<void> {
  const more = (contract.cost?.(input) ?? 1) - 1;
  if (more > 0) await node.limits.take(contract.rate, user.id, more);
}

/** The account first: what it may not send costs nobody else at its address anything. */
async function takeTurn({ node, user, address }: Caller, rate: CommandRate): Promise<void> {
  await node.limits.take(rate, user.id);
  // Hundreds a second: they would use up what everyone there has to talk.
  if (rate !== 'chunk') await node.limits.takeAt(address, user.id);
  await takeAnswer(node, personIdOf(user), rate);
}

/**
 * Reads unknown input by its schema.
 * @throws ChatError invalid, with the first field that does not fit
 */
export function parse<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.join('.');
  throw invalid(issue?.message ?? 'That value isn’t allowed.', field === '' ? undefined : field);
}
