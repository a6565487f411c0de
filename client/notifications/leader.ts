/** Coordinates the tabs of a browser: one shows notifications, and each knows the open timelines of the others. */

let isLeader = false;

/** The first tab that asks becomes the leader. When it closes, the next one takes over. */
export function lead(): void {
  void navigator.locks.request('parley.notifications', () => {
    isLeader = true;
    return new Promise<never>(() => undefined);
  });
}

export const leads = () => isLeader;

const looking = (timelineId: string) => `parley.looking.${timelineId}`;

/** Records that a timeline is visible in this tab. Returns a function to call when it no longer is. */
export function lookAt(timelineId: string): () => void {
  let stop: (() => void) | undefined;
  const looked = new Promise<void>((resolve) => (stop = resolve));
  void navigator.locks.request(looking(timelineId), { mode: 'shared' }, () => looked);
  return () => stop?.();
}

export async function isLookedAt(timelineId: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === looking(timelineId));
}
