/** The line between a page and the server, for what lines do: be slow, or lose something. */
import type { Page } from 'playwright-core';

/** Between the page and the server. */
export interface SocketTap {
  /** What the server says is held back. */
  hold(): void;
  /** What the page says is held back if it fits, and what it says afterwards overtakes it. Resolves when it said such. */
  delay(what: RegExp): Promise<void>;
  /** Nothing arrives any more, neither here nor there. */
  cut(): void;
  /** What was held arrives, in order, and whatever comes after it. */
  letGo(): void;
  /** What was held is lost; whatever comes after it arrives. */
  lose(): void;
}

export async function tap(page: Page): Promise<SocketTap> {
  let held: (() => void)[] | undefined;
  let delayed: { what: RegExp; note: () => void } | undefined;
  let late: (() => void)[] = [];
  let isCut = false;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (isCut) return;
      if (delayed?.what.test(String(frame)) === true) {
        late.push(() => server.send(frame));
        delayed.note();
      } else server.send(frame);
    });
    server.onMessage((frame) => {
      if (isCut) return;
      if (held === undefined) socket.send(frame);
      else held.push(() => socket.send(frame));
    });
  });
  return {
    hold: () => void (held ??= []),
    delay: (what) => new Promise((note) => (delayed = { what, note })),
    cut: () => void (isCut = true),
    letGo() {
      isCut = false;
      for (const pass of [...late, ...(held ?? [])]) pass();
      [held, delayed, late] = [undefined, undefined, []];
    },
    lose: () => void ([held, delayed, late] = [undefined, undefined, []]),
  };
}
