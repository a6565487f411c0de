/** The line between a page and the server, for what lines do: be slow, or lose something. */
import type { Page } from 'playwright-core';

/** Between the page and the server. */
export interface Line {
  /** What the server says is held back. */
  hold(): void;
  /** What the page says is held back if it fits, and what it says afterwards overtakes it. */
  delay(what: RegExp): void;
  /** Nothing arrives any more, neither here nor there. */
  cut(): void;
  /** What was held arrives, in order, and whatever comes after it. */
  letGo(): void;
  /** What was held is lost; whatever comes after it arrives. */
  lose(): void;
}

export async function tap(page: Page): Promise<Line> {
  let held: (() => void)[] | undefined;
  let delayed: RegExp | undefined;
  let late: (() => void)[] = [];
  let isCut = false;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (isCut) return;
      if (delayed?.test(String(frame))) late.push(() => server.send(frame));
      else server.send(frame);
    });
    server.onMessage((frame) => {
      if (isCut) return;
      if (held === undefined) socket.send(frame);
      else held.push(() => socket.send(frame));
    });
  });
  return {
    hold: () => void (held ??= []),
    delay: (what) => void (delayed = what),
    cut: () => void (isCut = true),
    letGo() {
      isCut = false;
      for (const pass of [...late, ...(held ?? [])]) pass();
      [held, delayed, late] = [undefined, undefined, []];
    },
    lose: () => void (held = undefined),
  };
}
