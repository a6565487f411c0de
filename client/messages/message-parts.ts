/** Joins the message parts of all features. A new feature adds its part here and nothing else in this folder. */
import type { Message } from '../../shared/messages.ts';
import { filePart } from '../files/part.ts';
import { pinPart } from '../pins/part.ts';
import { previewPart } from '../previews/part.ts';
import { reactionPart } from '../reactions/part.ts';
import { replyPart } from '../replies/part.ts';
import { reportPart } from '../reports/part.ts';
import type { Extras } from './drafts.ts';
import type { DraftPart, MessagePart, SendInput } from './part.ts';

export const messageParts: readonly MessagePart[] = [
  filePart,
  previewPart,
  reactionPart,
  replyPart,
  pinPart,
  reportPart,
];

export const draftParts: readonly DraftPart[] = messageParts.flatMap(({ draft }) => draft ?? []);

export const isEmpty = (extras: Extras) => Object.keys(extras).length === 0;

const joined = <T extends object>(each: (draft: DraftPart) => T): T =>
  Object.assign({}, ...draftParts.map(each)) as T;

export const extrasOf = (timelineId: string): Extras => joined((draft) => draft.of(timelineId));

export const readExtras = (saved: Record<string, unknown>): Extras =>
  joined((draft) => draft.read(saved));

/** The input of `message:send` for the extras. Resolves once all of it is ready, for example uploads. */
export async function sendInputOf(extras: Extras, timelineId: string): Promise<SendInput> {
  const each = await Promise.all(draftParts.map(async (draft) => draft.input(extras, timelineId)));
  return Object.assign({}, ...each) as SendInput;
}

export function confirmExtras(extras: Extras): void {
  for (const draft of draftParts) draft.confirm?.(extras);
}

export function dropExtras(extras: Extras): void {
  for (const draft of draftParts) draft.drop?.(extras);
}

export function restoreExtras(timelineId: string, extras: Extras): void {
  for (const draft of draftParts) draft.restore?.(timelineId, extras);
}

export function clearExtras(timelineId: string): void {
  for (const draft of draftParts) draft.clear(timelineId);
}

export function receiveParts(timelineId: string, rows: readonly Message[]): void {
  for (const part of messageParts) part.receive?.(timelineId, rows);
}

export function forgetParts(timelineId: string): void {
  for (const part of messageParts) part.forget?.(timelineId);
}
