/** The VAPID keys, which identify this Parley to push services. Made once: every subscription is bound to them. */
import webPush, { type VapidKeys } from 'web-push';
import { z } from 'zod';
import type { Db } from '../database/database.ts';
import { readSetting, setting } from '../node/instance.ts';

const key = 'vapid_keys';
const Keys = z.object({ publicKey: z.string(), privateKey: z.string() });

export async function vapidKeys(db: Db): Promise<VapidKeys> {
  const stored =
    (await readSetting(db, key)) ??
    (await setting(db, key, () => JSON.stringify(webPush.generateVAPIDKeys())));
  return Keys.parse(JSON.parse(stored));
}
