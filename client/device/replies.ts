/** Replies written in notifications, saved on this device until they are sent. */
import { expired, unsent, type WrittenReply } from './unsent.ts';

/** Saves a reply and deletes expired ones. Returns false if the device cannot save it. */
export async function saveReply(id: string, reply: WrittenReply): Promise<boolean> {
  const saved = await unsent(async (db) => {
    const { store, done } = db.transaction('replies', 'readwrite');
    await store.delete(expired());
    await store.put(reply, id);
    await done;
    return true;
  });
  return saved === true;
}

/** Returns those that have not expired, and deletes the others. */
export async function savedReplies(): Promise<[id: string, reply: WrittenReply][]> {
  const found: [id: string, reply: WrittenReply][] = [];
  await unsent(async (db) => {
    const { store } = db.transaction('replies', 'readwrite');
    await store.delete(expired());
    for await (const { key, value } of store) found.push([key, value]);
  });
  return found;
}

/** Undefined if the device cannot read it. */
export const isReplySaved = (id: string): Promise<boolean | undefined> =>
  unsent(async (db) => (await db.getKey('replies', id)) !== undefined);

export const removeReply = (id: string) => unsent((db) => db.delete('replies', id));
