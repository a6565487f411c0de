/** The links of messages that can have a preview. server/previews/ reads the pages. */
import { readMarkdown } from '../../shared/markdown/blocks.ts';
import { linksIn } from '../../shared/markdown/tree.ts';
import type { Preview } from '../../shared/previews.ts';
import { quotas } from '../../shared/quotas.ts';

/** A cheap check before parsing: false if the text can’t contain a link. */
export const mayHaveLinks = (body: string): boolean => body.includes('://');

/** The links of a text that can have a preview, each once. */
export function previewedLinks(body: string): string[] {
  if (!mayHaveLinks(body)) return [];
  const links = linksIn(readMarkdown(body)).filter((link) => link.length <= quotas.previewLink);
  return [...new Set(links)].slice(0, quotas.previewsPerMessage);
}

/** Those of the links of a text, in the order of the links. */
export const previewsIn = (body: string, previews: readonly Preview[]): Preview[] =>
  previewedLinks(body).flatMap((link) => previews.find((one) => one.link === link) ?? []);

/** The pictures of previews: ids of files. */
export const picturesOf = (previews: readonly Preview[] = []): string[] =>
  previews.flatMap(({ picture }) => picture ?? []);
