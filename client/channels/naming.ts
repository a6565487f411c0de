/** How a channel is called, so that its name can stand in a sentence behind a #: small letters, digits, - and _. */
export const asChannelName = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, (between) => (/[\s-]/.test(between) ? '-' : ''))
    .replace(/^-+/, '');

/** The same, once all is typed. */
export const wholeChannelName = (typed: string): string => asChannelName(typed).replace(/-+$/, '');
