/** What `read` answers, kept for so many milliseconds: however many ask, it is read once. */
export function keptFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept === undefined) {
      kept = read();
      const forget = () => setTimeout(() => (kept = undefined), ms).unref();
      kept.then(forget, forget);
    }
    return kept;
  };
}
