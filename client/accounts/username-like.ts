import { limits } from '../../shared/limits.ts';

/** Of a name what a username may hold: “Zoë van Dam” is zoe.van.dam. Nothing if too little is left. */
export function usernameLike(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const like = letters
    .replace(/[^a-z0-9]+/g, '.')
    .slice(0, limits.username)
    .replace(/^\.|\.$/g, '');
  return like.length < limits.usernameMin ? '' : like;
}
