import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { serverEvents } from '../../shared/events.ts';
import type { CommandName } from '../../shared/protocol.ts';
import type { ChangeType } from '../../shared/rooms.ts';

export const chapters = [
  'connect',
  'enter',
  'send',
  'hear',
  'refused',
  'ping',
  'back',
  'sync',
  'end',
  'turned away',
] as const;
export type Chapter = (typeof chapters)[number];

/** Frames as sent, except for ids, times and secrets, which differ each time. */
export interface Frames {
  /** Frames of one client, each after its direction: `→ 40…` to the server, `← 42…` from it. */
  walk: Partial<Record<Chapter, string[]>>;
  commands: Partial<Record<CommandName, { asked: string; answered: string }>>;
  events: Partial<Record<keyof typeof serverEvents, string>>;
  /** The first `changes` with each type. */
  changes: Partial<Record<ChangeType, string>>;
}

export const framesFile = fileURLToPath(
  new URL('../../docs/reference/frames.json', import.meta.url),
);

export const frames = JSON.parse(readFileSync(framesFile, 'utf8')) as Frames;

/** The JSON in a Socket.IO frame, `42["message:send",{…}]` or `430[{…}]`. */
export const frameParts = (frame: string): unknown[] =>
  JSON.parse(frame.replace(/^\d+(-\d*)?/, '')) as unknown[];

export function exchangeOf(
  name: CommandName,
): { input: unknown; reply: { ok: boolean; value?: unknown } } | undefined {
  const exchange = frames.commands[name];
  if (exchange === undefined) return undefined;
  const [, input] = frameParts(exchange.asked);
  const [reply] = frameParts(exchange.answered);
  return { input, reply: reply as { ok: boolean; value?: unknown } };
}

export function payloadOf(event: keyof typeof serverEvents): unknown {
  const frame = frames.events[event];
  return frame === undefined ? undefined : frameParts(frame)[1];
}

export function changeIn(type: ChangeType): unknown {
  const frame = frames.changes[type];
  if (frame === undefined) return undefined;
  const [, payload] = frameParts(frame) as [string, { changes: { type: string }[] }];
  return payload.changes.find((change) => change.type === type);
}
