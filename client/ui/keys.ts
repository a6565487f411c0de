/** Whether a key belongs to an input method that is still composing: Enter then picks a word, it does not send. */
export const isComposing = (event: KeyboardEvent) =>
  // Safari ends the composition before the key arrives and marks that key by 229 alone.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  event.isComposing || event.keyCode === 229;
