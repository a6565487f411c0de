/** `<@userId>` in a body mentions somebody, and that alone: names change, and two people may have the same. */

export const mentionMark = /<@([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi;

export const mentionOf = (userId: string) => `<@${userId}>`;

/** Everyone whom a body names, once each, whether there is such a person or not. */
export const namedIn = (body: string): string[] => [
  ...new Set([...body.matchAll(mentionMark)].map(([, id = '']) => id.toLowerCase())),
];

/** `<#channelId>` in a body is a link to a channel: whoever may see it reads its name, everyone else nothing of it. */
export const channelMark = /<#([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})>/gi;

export const channelMarkOf = (channelId: string) => `<#${channelId}>`;
