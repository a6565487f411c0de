/** Measures how much a browser loads: the files that a page requests, compressed as servers do. */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { neverIdle } from './page-scripts.ts';

const built = new URL('../../dist/client/', import.meta.url);

/** In bytes, after Brotli at its best. */
export interface Weight {
  scripts: number;
  styles: number;
}

/** Weighs the files that the page requests from its start until it rests, without those loaded in advance. */
export async function weigh(
  page: Page,
  address: string,
  until: () => Promise<void>,
): Promise<Weight> {
  const { origin } = new URL(address);
  const files = new Set<string>();
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin === origin) files.add(url.pathname);
  });
  await page.addInitScript(neverIdle);
  await page.goto(address);
  await until();
  await page.waitForLoadState('networkidle');
  return weightOf([...files]);
}

/** Marks the page as signed in on an earlier visit. */
export const beenBefore = (page: Page) =>
  page.addInitScript("localStorage.setItem('parley.inside', 'true');");

export const weighAll = (): Weight =>
  weightOf(readdirSync(new URL('assets/', built)).map((name) => `/assets/${name}`));

const weightOf = (files: string[]): Weight => ({
  scripts: sum(files, '.js'),
  styles: sum(files, '.css'),
});

const sum = (files: string[], ending: string) =>
  files.filter((file) => file.endsWith(ending)).reduce((all, file) => all + compressed(file), 0);

const compressed = (file: string) =>
  brotliCompressSync(readFileSync(new URL(`.${file}`, built))).length;
