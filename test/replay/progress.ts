import type { WriteStream } from 'node:tty';
import type { ReplayProgress } from './replay.ts';

const width = 30;
/** Milliseconds between two updates. */
const every = { terminal: 100, elsewhere: 3_000 };

export function progressBar(
  total: number,
  out: WriteStream = process.stderr,
): { show: (now: ReplayProgress) => void; end: () => void } {
  const began = performance.now();
  let drawnAt = 0;
  const draw = (now: ReplayProgress) => {
    const text = describe(now, total, (performance.now() - began) / 1_000);
    out.write(out.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  };
  return {
    show(now) {
      const pause = out.isTTY ? every.terminal : every.elsewhere;
      if (now.lines < total && performance.now() - drawnAt < pause) return;
      drawnAt = performance.now();
      draw(now);
    },
    end() {
      if (out.isTTY && drawnAt > 0) out.write('\n');
    },
  };
}

function describe(
  { lines, messages, sockets }: ReplayProgress,
  total: number,
  seconds: number,
): string {
  const part = total === 0 ? 1 : lines / total;
  const full = Math.floor(part * width);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  const speed = (messages / Math.max(seconds, 0.001)).toFixed(0);
  return `${bar} ${Math.floor(part * 100)} %  ${lines}/${total} lines  ${speed} messages/s  ${sockets} speakers online`;
}
