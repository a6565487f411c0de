import { readMarkdown } from './markdown/blocks.ts';
import { marksIn } from './markdown/tree.ts';

/** `<@userId>` in a body mentions a person. A name does not, because names change and two people can have the same. */

export const mentionMark = /<@([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi;

export const mentionOf = (userId: string) => `<@${userId}>`;

/** The ids of the people that a body mentions outside code. They might not exist. */
export const mentionedIn = (body: string): string[] =>
  body.includes('<@') ? marksIn(readMarkdown(body)).people : [];

/** The ids of all people in a body, even in code, because rendering it can need their names. */
export const namedIn = (body: string): string[] => [
  ...new Set([...body.matchAll(mentionMark)].map(([, id = '']) => id.toLowerCase())),
];

/** `<#channelId>` in a body is a link to a channel. Only people who can see the channel receive its name. */
export const channelMark = /<#([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi;

export const channelMarkOf = (channelId: string) => `<#${channelId}>`;

/** All people who can see the message, or those of them who are online. */
export const callWords = ['everyone', 'here'] as const;
export type Calls = (typeof callWords)[number];

/** The wider of `@everyone` and `@here` in a body, outside code. Does not check the author’s permission. */
export function callsIn(body: string): Calls | undefined {
  if (!body.includes('@everyone') && !body.includes('@here')) return undefined;
  const { calls } = marksIn(readMarkdown(body));
  if (calls.includes('@everyone')) return 'everyone';
  return calls.includes('@here') ? 'here' : undefined;
}
