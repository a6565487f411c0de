/** Keeps what a page uploads from arriving, as a slow connection does, while all else goes through. */
import type { Page } from 'playwright-core';

export interface HeldChunks {
  /** After so many more of them. */
  hold(after?: number): void;
  letGo(): void;
  /** How many bytes of files have gone through. */
  passed: number;
}

/** Holds chunks, or from the first step of an upload on. */
export async function heldChunks(
  page: Page,
  from: 'file:begin' | 'file:chunk' = 'file:chunk',
): Promise<HeldChunks> {
  /** So many may still pass. */
  let left = Infinity;
  const chunks: HeldChunks = {
    passed: 0,
    hold: (after = 0) => void (left = after),
    letGo() {
      left = Infinity;
      for (const waiting of lines) for (const send of waiting.splice(0)) send();
    },
  };
  const lines = new Set<(() => void)[]>();
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    const waiting: (() => void)[] = [];
    lines.add(waiting);
    socket.onClose(() => {
      lines.delete(waiting);
      void server.close();
    });
    server.onClose(() => {
      lines.delete(waiting);
      void socket.close();
    });
    socket.onMessage((frame) => {
      // A packet says that its bytes follow in a frame of their own.
      const isBytes = typeof frame !== 'string';
      const send = () => {
        server.send(frame);
        if (isBytes) chunks.passed += frame.length;
      };
      if (left > 0 || !(isBytes || frame.includes(`"${from}"`))) send();
      else waiting.push(send);
      if (isBytes && left > 0) left -= 1;
    });
  });
  return chunks;
}
