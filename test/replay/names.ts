import { limits } from '../../shared/limits.ts';
import { DisplayName } from '../../shared/people.ts';

export function namesFor(nicks: Iterable<string>): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const nick of new Set(nicks)) {
    const name = firstFree(validName(nick), taken);
    taken.add(name);
    names.set(nick, name);
  }
  return names;
}

/** The nick itself if valid; otherwise the nick without the characters that the schema refuses. */
function validName(nick: string): string {
  const allowed = [...nick].filter((character) => DisplayName.safeParse(`x${character}x`).success);
  const cut = allowed.slice(0, limits.displayName).join('').trim();
  for (const name of [nick, cut]) {
    const { data } = DisplayName.safeParse(name);
    if (data !== undefined) return data;
  }
  return 'Somebody';
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) {
    const number = ` ${count}`;
    free = `${[...name].slice(0, limits.displayName - number.length).join('')}${number}`;
  }
  return free;
}
