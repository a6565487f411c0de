/** Shortens ids from 36 characters to 22 letters and digits, for addresses that people share. */
import { pathTo, placeAt, type Route } from './routes.ts';

const signs = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(signs.length);
const length = 22;
const bits = 128n;

function shorten(id: string): string {
  let rest = BigInt(`0x${id.replaceAll('-', '')}`);
  let short = '';
  for (let at = 0; at < length; at++) {
    short = signs.charAt(Number(rest % base)) + short;
    rest /= base;
  }
  return short;
}

/** The id, or the text itself if it is not a short id. */
function lengthen(short: string): string {
  if (!/^[0-9A-Za-z]{22}$/.test(short)) return short;
  const value = [...short].reduce((sum, sign) => sum * base + BigInt(signs.indexOf(sign)), 0n);
  if (value >> bits) return short;
  const hex = value.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const isId = (part: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(part);

const mapParts = (path: string, change: (part: string) => string) =>
  path.split('/').map(change).join('/');

export const shortPathTo = (place: Route): string =>
  mapParts(pathTo(place), (part) => (isId(part) ? shorten(part) : part));

export const wholePlace = (place: Route): Route =>
  place.page === 'server' || place.page === 'direct'
    ? placeAt(mapParts(pathTo(place), lengthen))
    : place;

/** The address within the page for a link to this instance. */
export function wholeHref(href: string): string {
  const place = placeAt(new URL(href).pathname);
  return place.page === 'server' || place.page === 'direct' ? pathTo(wholePlace(place)) : href;
}
