/** The connection between a page and the server, which a test can slow down, or let lose something. */
import type { Page } from 'playwright-core';
import type { Failure } from '../../shared/failure.ts';

export interface SocketTap {
  hold(): void;
  /** Holds back a matching frame of the page, so that later ones overtake it. Resolves when the page has sent it. */
  delay(what: RegExp): Promise<void>;
  /** Holds back a matching answer of the server, so that later ones overtake it. Resolves when the server has sent it. */
  delayAnswer(what: RegExp): Promise<void>;
  /** Drops everything on the open connections without closing them. Later connections work. */
  cut(): void;
  /** Answers matching commands with an internal error, and does not pass them to the server. */
  refuse(what: RegExp): void;
  /** Delivers held frames in order, and all later ones. */
  letGo(): void;
  /** Drops held frames. Later ones arrive. */
  lose(): void;
}

const hitError: Failure = { code: 'internal', message: 'No.', retryable: false };

export async function tap(page: Page): Promise<SocketTap> {
  let held: (() => void)[] | undefined;
  let delayed: { what: RegExp; note: () => void } | undefined;
  let delayedAnswer: typeof delayed;
  let late: (() => void)[] = [];
  let refused: RegExp | undefined;
  let cuts = 0;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    const known = cuts;
    const isCut = () => cuts > known;
    socket.onMessage((frame) => {
      if (isCut()) return;
      const [, id] = /^42(\d+)/.exec(String(frame)) ?? [];
      if (id !== undefined && refused?.test(String(frame)) === true) {
        socket.send(`43${id}${JSON.stringify([{ ok: false, error: hitError }])}`);
      } else if (delayed?.what.test(String(frame)) === true) {
        late.push(() => server.send(frame));
        delayed.note();
      } else server.send(frame);
    });
    server.onMessage((frame) => {
      if (isCut()) return;
      if (delayedAnswer?.what.test(String(frame)) === true) {
        late.push(() => socket.send(frame));
        delayedAnswer.note();
      } else if (held === undefined) socket.send(frame);
      else held.push(() => socket.send(frame));
    });
  });
  const reset = () => {
    [held, delayed, delayedAnswer, late, refused] = [
      undefined,
      undefined,
      undefined,
      [],
      undefined,
    ];
  };
  return {
    hold: () => void (held ??= []),
    delay: (what) => new Promise((note) => (delayed = { what, note })),
    delayAnswer: (what) => new Promise((note) => (delayedAnswer = { what, note })),
    cut: () => void (cuts += 1),
    refuse: (what) => void (refused = what),
    letGo() {
      for (const pass of [...late, ...(held ?? [])]) pass();
      reset();
    },
    lose: reset,
  };
}
