/** Holds back the uploads of a page, like a slow connection, while everything else passes. */
import type { Page } from 'playwright-core';

export interface HeldChunks {
  /** Holds after this many more chunks. */
  hold(after?: number): void;
  letGo(): void;
  passed: number;
}

/** Holds chunks, or from the first step of an upload on. */
export async function heldChunks(
  page: Page,
  from: 'file:begin' | 'file:chunk' = 'file:chunk',
): Promise<HeldChunks> {
  /** How many can still pass. */
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
      // The bytes of a packet follow in a frame of their own.
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
