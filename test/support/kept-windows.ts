/**
 * Windows that tests of a file have closed, made as good as new for the next ones. A new one takes a process of its
 * own, which compiles the client anew: twice the processor time of one that is used again.
 */
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

export interface KeptWindow {
  /** What it looks like, and where: only who asks for the same may have it. */
  readonly kind: string;
  readonly origin: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** What its pages complained about since somebody has it. */
  complaints: string[];
  /** Something was done to it that cannot be undone. */
  isMarked: boolean;
  readonly protocol: CDPSession;
}

/** What stays with a page, or with all of a window, once it was asked for. */
const lasting = {
  page: [
    ...['addInitScript', 'addLocatorHandler', 'close', 'emulateMedia', 'exposeBinding'],
    ...['exposeFunction', 'on', 'once', 'route', 'routeWebSocket', 'setViewportSize'],
    ...['setExtraHTTPHeaders'],
  ],
  context: [
    ...['addInitScript', 'exposeBinding', 'exposeFunction', 'grantPermissions', 'newCDPSession'],
    ...['on', 'route', 'routeWebSocket', 'setExtraHTTPHeaders', 'setOffline'],
  ],
} as const;

const kept: KeptWindow[] = [];

/** From now on it notes whatever is done to it that lasts. */
export function noteStorage(window: KeptWindow): void {
  const mark = () => {
    window.isMarked = true;
  };
  for (const what of ['page', 'context'] as const) {
    const methods = window[what] as unknown as Record<string, (...given: unknown[]) => unknown>;
    for (const name of lasting[what]) {
      const method = methods[name]!;
      methods[name] = (...given) => {
        mark();
        return method.apply(methods, given);
      };
    }
    const { clock } = window[what];
    Object.defineProperty(methods, 'clock', { get: () => (mark(), clock) });
  }
}

/** One that shows the same place in the same looks. Those of other places are of no use any longer. */
export async function takeWindow(kind: string, origin: string): Promise<KeptWindow | undefined> {
  for (const other of kept.filter((window) => window.origin !== origin)) await drop(other);
  const found = kept.findIndex((window) => window.kind === kind);
  return found === -1 ? undefined : kept.splice(found, 1)[0];
}

/** Starts at an address as a new window does, with nothing to go back to. */
export async function openAt({ page }: KeptWindow, address: string): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.evaluate((address) => {
    location.replace(address);
  }, address);
  await loaded;
}

/** Keeps it for the next one, or closes it. */
export async function giveBack(window: KeptWindow): Promise<void> {
  if (!window.isMarked && (await isRenewed(window))) kept.push(window);
  else await window.context.close();
}

/** It stays at this origin, since another takes another process, on a page where nothing is. */
async function isRenewed(window: KeptWindow): Promise<boolean> {
  const { context, page, origin } = window;
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.goto(`${origin}/livez`, { timeout: 2_000 });
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    await page.mouse.move(-1, -1);
    await window.protocol.send('Page.resetNavigationHistory');
    return true;
  } catch {
    // The node is gone, or the page.
    return false;
  }
}

async function drop(window: KeptWindow): Promise<void> {
  kept.splice(kept.indexOf(window), 1);
  await window.context.close();
}

export async function dropWindows(): Promise<void> {
  for (const window of [...kept]) await drop(window);
}
