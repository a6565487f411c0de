/** Where files go that are dropped on the page or pasted, and whether some are held over it now. */
class Landing {
  place = $state.raw<{ timelineId: string; name: string }>();
  isNear = $state(false);
}

export const landing = new Landing();

/** What listens for them is fetched when the page has come. Answers with how to stop. */
export function receiveFiles(): () => void {
  const on = new AbortController();
  void import('./receiving.ts')
    .then(({ listenForFiles }) => {
      listenForFiles(on.signal);
    })
    .catch(() => undefined);
  return () => {
    on.abort();
  };
}
