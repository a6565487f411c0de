import { limits } from './limits.ts';
import type { Quote } from './replies.ts';

export const quoteOf = ({
  id,
  authorId,
  position,
  version,
  body,
  deletedAt,
}: {
  id: string;
  authorId: string;
  position: number;
  version: number;
  body: string;
  deletedAt?: string | undefined;
}): Quote => ({
  ...{ id, authorId, position, version },
  excerpt: excerptOf(body),
  ...(deletedAt !== undefined && { deletedAt }),
});

/** Drops a mention that the cut would leave incomplete. */
const excerptOf = (body: string) =>
  body.length <= limits.excerpt
    ? body
    : [...body.slice(0, 2 * limits.excerpt)]
        .slice(0, limits.excerpt)
        .join('')
        .replace(/<[@#][0-9a-f-]*$/i, '');
