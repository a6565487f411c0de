/** Converts text to a channel name that can follow a # in a sentence: lower-case letters, digits, - and _. */
export const asChannelName = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, (between) => (/[\s-]/.test(between) ? '-' : ''))
    .replace(/^-+/, '');

export const wholeChannelName = (typed: string): string => asChannelName(typed).replace(/-+$/, '');
