/** Maps every place to an address and every address to a place. */
import { inject, parse } from 'regexparam';

export type Route =
  | { page: 'home' }
  | { page: 'join'; code: string }
  | { page: 'server'; serverId: string; channelId?: string; position?: number }
  | { page: 'direct'; conversationId?: string; position?: number }
  | { page: 'friends' }
  | { page: 'unread' }
  | { page: 'mentions' }
  | { page: 'reset' }
  | { page: 'nowhere' };

const home = parse('/');
const friends = parse('/friends');
const join = parse('/join/:code');
const server = parse('/s/:serverId/:channelId?');
const direct = parse('/direct/:conversationId?/:position?');
const message = parse('/s/:serverId/:channelId/:position');

export function placeAt(path: string): Route {
  if (home.pattern.test(path)) return { page: 'home' };
  if (friends.pattern.test(path)) return { page: 'friends' };
  if (path === '/reset' || path === '/unread' || path === '/mentions')
    return { page: path.slice(1) as 'reset' | 'unread' | 'mentions' };
  const [, code] = join.pattern.exec(path) ?? [];
  if (code) return { page: 'join', code };
  const found = direct.pattern.exec(path);
  if (found) return directAt(found[1], found[2]);
  const [, ...said] = message.pattern.exec(path) ?? [];
  if (said[0] && said[1]) return placeOf(said[0], said[1], Number(said[2]));
  const [, serverId, channelId] = server.pattern.exec(path) ?? [];
  if (!serverId) return { page: 'nowhere' };
  return channelId ? { page: 'server', serverId, channelId } : { page: 'server', serverId };
}

function directAt(conversationId: string | undefined, position: string | undefined): Route {
  if (!conversationId) return { page: 'direct' };
  if (!position) return { page: 'direct', conversationId };
  const at = Number(position);
  return isPosition(at) ? { page: 'direct', conversationId, position: at } : { page: 'nowhere' };
}

const isPosition = (position: number) => Number.isSafeInteger(position) && position > 0;

const placeOf = (serverId: string, channelId: string, position: number): Route =>
  isPosition(position) ? { page: 'server', serverId, channelId, position } : { page: 'nowhere' };

export function pathTo(place: Route): string {
  if (place.page === 'join') return inject('/join/:code', { code: place.code });
  if (place.page === 'server') {
    const { serverId, channelId, position } = place;
    return ['/s', serverId, channelId, position].filter(Boolean).join('/');
  }
  if (place.page === 'direct')
    return ['/direct', place.conversationId, place.position].filter(Boolean).join('/');
  return place.page === 'home' || place.page === 'nowhere' ? '/' : `/${place.page}`;
}

/** The code of an invite, from a complete link or typed alone. */
export function codeIn(text: string): string | undefined {
  const typed = text.trim();
  if (/^[A-Za-z0-9]{4,64}$/.test(typed)) return typed;
  const place = URL.canParse(typed) ? placeAt(new URL(typed).pathname) : placeAt(typed);
  return place.page === 'join' ? place.code : undefined;
}
