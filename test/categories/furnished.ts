/** Ann’s server with Ben in it, and shortcuts for Ann to change categories and channels. */
import { query } from '../../server/database/database.ts';
import { byPlace } from '../../shared/order.ts';
import type { TestApp } from '../support/app.ts';
import { openPlace } from '../support/place.ts';

export async function furnishCategories(app: TestApp) {
  const [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  const { serverId, channelId: defaultId } = await openPlace(ann, ben);

  const make = async (name: string, id?: string) =>
    (await ann.send('category:create', { serverId, name, ...(id && { id }) })).category;
  const channel = async (name: string, categoryId: string | null = null) =>
    (await ann.send('channel:create', { serverId, name, categoryId })).channel;
  const state = async (person = ann) => {
    const entry = await person.send('server:open', { serverId });
    if (entry.status !== 'snapshot') throw new Error(entry.status);
    return entry.state;
  };
  const categoryNames = async () => names((await state()).categories.toSorted(byPlace));
  const under = async (categoryId: string | null) => {
    const { channels } = await state();
    return names(channels.filter((one) => one.categoryId === categoryId).toSorted(byPlace));
  };
  const move = async (to: { channelId: string; categoryId?: string | null; position?: number }) =>
    (await ann.send('channel:update', to)).channel;

  return { ann, ben, serverId, defaultId, make, channel, state, categoryNames, under, move };
}

export async function furnishWithChannels(app: TestApp) {
  const place = await furnishCategories(app);
  const { make, channel } = place;
  const [rooms, work] = [await make('Rooms'), await make('Work')];
  const [one, two, three] = [
    await channel('one', rooms.id),
    await channel('two', rooms.id),
    await channel('three', rooms.id),
  ];
  return { ...place, rooms, work, one, two, three };
}

const names = (rows: { name: string }[]) => rows.map(({ name }) => name).join(' ');
export const sql = ({ db }: TestApp, text: string, ...bind: unknown[]) => query(db, text, bind);
