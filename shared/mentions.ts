/** `<@userId>` in a body mentions somebody, and that alone: names change, and two people may have the same. */

export const mentionMark = /<@([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi;

export const mentionOf = (userId: string) => `<@${userId}>`;

/** Everyone whom a body names, once each, whether there is such a person or not. */
export const namedIn = (body: string): string[] => [
  ...new Set([...body.matchAll(mentionMark)].map(([, id = '']) => id.toLowerCase())),
];

/** `<#channelId>` in a body is a link to a channel: people who may see it read its name, everyone else nothing of it. */
export const channelMark = /<#([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi;

export const channelMarkOf = (channelId: string) => `<#${channelId}>`;

/** All who can see it, or those of them who are online. */
export type Calls = 'everyone' | 'here';

const callMark = /(?<![\p{L}\p{N}_@<\\])@(everyone|here)(?![\p{L}\p{N}_-])/gu;
const code = /```[^]*?(?:```|$)|`[^`\n]*`/g;

/** Whom a body calls by `@everyone` or `@here`, outside of code, if its author may: the more of them. */
export function callsIn(body: string): Calls | undefined {
  if (!body.includes('@everyone') && !body.includes('@here')) return undefined;
  const called = [...body.replace(code, ' ').matchAll(callMark)].map(([, whom]) => whom);
  if (called.length === 0) return undefined;
  return called.includes('everyone') ? 'everyone' : 'here';
}
