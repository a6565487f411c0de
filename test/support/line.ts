/** The line between a page and the server, for what lines do: be slow, or lose something. */
import type { Page } from 'playwright-core';

/** Between the page and the server. */
export interface Line {
  /** What the server says is held back. */
  hold(): void;
  /** Nothing arrives any more, neither here nor there. */
  cut(): void;
  /** What was held arrives, in order, and whatever comes after it. */
  letGo(): void;
  /** What was held is lost; whatever comes after it arrives. */
  lose(): void;
}

export async function tap(page: Page): Promise<Line> {
  let held: (() => void)[] | undefined;
  let isCut = false;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (!isCut) server.send(frame);
    });
    server.onMessage((frame) => {
      if (isCut) return;
      if (held === undefined) socket.send(frame);
      else held.push(() => socket.send(frame));
    });
  });
  return {
    hold: () => void (held ??= []),
    cut: () => void (isCut = true),
    letGo() {
      isCut = false;
      for (const pass of held ?? []) pass();
      held = undefined;
    },
    lose: () => void (held = undefined),
  };
}
