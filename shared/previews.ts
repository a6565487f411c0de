/** Link previews: the title, description, site and picture of a linked page. The server reads it after it stores the message. */
import { z } from 'zod';
import { Bounded, command, Id, Version } from './contract.ts';
import { quotas } from './quotas.ts';

export const Preview = z.strictObject({
  /** The link, as in the text of the message. */
  link: z.string(),
  /** The page’s name of its site; the host name if it has none. A page can pretend to be of another site. */
  site: z.string(),
  title: z.string(),
  description: z.string().optional(),
  /** A small square picture: the id of a file, at `/files/<id>/preview`. `files` does not list it. */
  picture: Id.optional(),
});
export type Preview = z.infer<typeof Preview>;

/** In the order of the links. */
export const previewFields = { previews: z.array(Preview).min(1).optional() };

export const previewCommands = {
  'preview:remove': command({
    summary:
      'Removes the preview of a link from your own message. If the link has no preview, nothing changes. Returns the resulting version of the message.',
    input: z.strictObject({
      messageId: Id,
      link: Bounded(quotas.previewLink, 'This link is too long.').meta({
        maxLength: quotas.previewLink,
        examples: ['https://example.org/tea'],
      }),
    }),
    output: z.strictObject({ version: Version }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'send',
    queued: false,
  }),
};
