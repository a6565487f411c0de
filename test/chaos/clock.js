/** Preloaded into a node: SIGUSR2 sets its clock ahead by an hour, the next one back. Timers are not affected. */
const { now } = Date;
const jump = 3_600_000;
let ahead = 0;

process.on('SIGUSR2', () => {
  ahead = ahead === 0 ? jump : 0;
});

Date.now = () => now() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (RealDate, /** @type {[] | [number]} */ given) =>
    given.length === 0 ? new RealDate(RealDate.now()) : new RealDate(...given),
});
