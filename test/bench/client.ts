/** The bytes that a browser loads before a user can sign in, and before a user can write. */
import { chromium } from 'playwright-core';
import { findChromium, flags } from '../support/chromium.ts';
import { cookieOf, post } from '../support/person.ts';
import { beenBefore, weigh, weighAll, type Weight } from '../support/bundle-size.ts';
import type { Case, Figures } from './case.ts';
import type { BenchPlace } from './place.ts';
import type { Results } from './rounds.ts';

export const clientHeading = 'the client, as it travels';

/** Runs once, because the result is always the same. */
export async function measureClient({ url }: BenchPlace): Promise<Results> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: flags });
  try {
    const stranger = await browser.newPage();
    const toSignIn = await weigh(stranger, url, () => stranger.getByLabel('Username').waitFor());
    const inside = await browser.newPage();
    await inside.context().addCookies([await signInGuest(url)]);
    await beenBefore(inside);
    const toChannel = await weigh(inside, url, () => inside.locator('#composer').waitFor());
    return new Map([
      caseOf('to the sign-in page', toSignIn),
      caseOf('to a channel', toChannel),
      caseOf('all that may ever load', weighAll()),
    ]);
  } finally {
    await browser.close();
  }
}

async function signInGuest(url: string) {
  const response = await post(url, '/api/auth/guest', { displayName: 'Guest' });
  const [name = '', value = ''] = cookieOf(response).split('=');
  return { name, value, url };
}

function caseOf(name: string, { scripts, styles }: Weight): [Case, Figures[]] {
  const figures: Figures = { 'JS kB': scripts / 1_000, 'CSS kB': styles / 1_000 };
  return [{ heading: clientHeading, name, measure: async () => figures }, [figures]];
}
