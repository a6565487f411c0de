import type { TestApp } from './app.ts';
import { composer, openBrowser } from './browser.ts';
import { openPlace } from './place.ts';

export type OwnerAndMember = Awaited<ReturnType<typeof openOwnerAndMember>>;

/** Opens the channel of a place for its owner Ann (`page`) and, on a narrow screen, for its member Ben (`bens`). */
export async function openOwnerAndMember(app: TestApp) {
  const [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  const { serverId, channelId } = await openPlace(ann, ben);
  const path = `/s/${serverId}/${channelId}`;
  const { page } = await openBrowser(app, { as: ann, path });
  const { page: bens } = await openBrowser(app, { as: ben, path, width: 390 });
  await composer(bens).waitFor();
  return { ann, ben, page, bens, serverId, channelId };
}
