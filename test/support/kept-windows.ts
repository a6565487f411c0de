/**
 * Resets windows that tests have closed, so that later tests reuse them, also in other files. A new
 * window takes twice the processor time, because its own process compiles the client again.
 */
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

export interface KeptWindow {
  /** The properties that never change, such as a touch screen. Size and theme are applied to a reused window. */
  readonly kind: string;
  readonly origin: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Complaints of its pages since it was handed out. */
  complaints: string[];
  /** True when something was done to it that cannot be undone. */
  isMarked: boolean;
  readonly protocol: CDPSession;
  /** Undoes what a test did to it, before the next one uses it. */
  undo: (() => unknown)[];
}

/** Methods whose effects stay with a page, or with the whole window. */
const lasting = {
  page: [
    ...['addInitScript', 'addLocatorHandler', 'close', 'exposeBinding', 'exposeFunction'],
    ...['routeWebSocket', 'setExtraHTTPHeaders'],
  ],
  context: [
    ...['addInitScript', 'clearPermissions', 'exposeBinding', 'exposeFunction'],
    ...['grantPermissions', 'routeWebSocket', 'setExtraHTTPHeaders'],
  ],
} as const;

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** Returns how to undo a call of these methods. */
const undoing: Record<
  'page' | 'context',
  Record<string, (of: Methods, given: unknown[], done: unknown) => unknown>
> = {
  page: {
    on: (page, given) => page.off!(...given),
    once: (page, given) => page.off!(...given),
    route: (page) => page.unrouteAll!({ behavior: 'ignoreErrors' }),
  },
  context: {
    on: (context, given) => context.off!(...given),
    route: (context) => context.unrouteAll!({ behavior: 'ignoreErrors' }),
    setOffline: (context) => context.setOffline!(false),
    // It may be detached already.
    newCDPSession: async (_context, _given, session) =>
      (await (session as Promise<CDPSession>)).detach().catch(() => undefined),
  },
};

const kept: KeptWindow[] = [];

/** Marks the window when a method with lasting effects is called, unless its effects can be undone. */
export function noteStorage(window: KeptWindow): void {
  const mark = () => {
    window.isMarked = true;
  };
  for (const what of ['page', 'context'] as const) {
    const methods = window[what] as unknown as Methods;
    for (const name of lasting[what]) {
      const method = methods[name]!;
      methods[name] = (...given) => {
        mark();
        return method.apply(methods, given);
      };
    }
    for (const [name, undo] of Object.entries(undoing[what])) {
      const method = methods[name]!;
      methods[name] = (...given) => {
        const done = method.apply(methods, given);
        window.undo.push(() => undo(methods, given, done));
        return done;
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
    for (const undo of window.undo.toReversed()) await undo();
    window.undo.length = 0;
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
