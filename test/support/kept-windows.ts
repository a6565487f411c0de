/**
 * Resets windows that tests have closed, so that later tests reuse them, also in other files. A new
 * window takes twice the processor time, because its own process compiles the client again.
 */
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

export interface KeptWindow {
  /** The looks of the window. It is reused only for the same looks. */
  readonly kind: string;
  readonly origin: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Complaints of its pages since it was handed out. */
  complaints: string[];
  /** True when something was done to it that cannot be undone. */
  isMarked: boolean;
  readonly protocol: CDPSession;
}

/** Methods whose effects stay with a page, or with the whole window. */
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

/** Marks the window when a method with lasting effects is called. */
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

export function takeWindow(kind: string, origin: string): KeptWindow | undefined {
  const found = kept.findLastIndex((window) => window.kind === kind && window.origin === origin);
  return found === -1 ? undefined : kept.splice(found, 1)[0];
}

/** Loads an address like a new window, without history to go back to. */
export async function openAt({ page }: KeptWindow, address: string): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.evaluate((address) => {
    location.replace(address);
  }, address);
  await loaded;
}

const maxKept = 6;

export async function giveBack(window: KeptWindow): Promise<void> {
  if (!window.isMarked && (await isRenewed(window))) kept.push(window);
  else await window.context.close();
  if (kept.length > maxKept) await drop(kept[0]!);
}

/** Resets the window on an empty page of the same origin, because another origin takes another process. */
async function isRenewed(window: KeptWindow): Promise<boolean> {
  const { context, page, origin } = window;
  try {
    for (const other of context.pages()) if (other !== page) await other.close();
    await page.goto(`${origin}/livez`, { timeout: 2_000 });
    await page.evaluate(() => {
      sessionStorage.clear();
    });
    await context.clearCookies();
    await page.mouse.move(-1, -1);
    const { protocol } = window;
    await protocol.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await protocol.send('Page.resetNavigationHistory');
    return true;
  } catch {
    // The node or the page is gone.
    return false;
  }
}

async function drop(window: KeptWindow): Promise<void> {
  kept.splice(kept.indexOf(window), 1);
  await window.context.close();
}

/** Closes the kept windows of origins where no node will start again. */
export async function dropWindows(isGone: (origin: string) => boolean): Promise<void> {
  for (const window of kept.filter(({ origin }) => isGone(origin))) await drop(window);
}
