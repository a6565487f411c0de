/** The frames of a story that are examples, without values that differ from run to run. */
import type { Chapter, Frames } from '../../scripts/docs/frames.ts';
import type { Frame, Recorder } from './recorder.ts';

/** The place of a frame in `Frames`, which it is an example of. */
type Place = ['walk' | 'events' | 'changes' | 'asked' | 'answered', string];

export function freeze(recorder: Recorder): Frames {
  const kept = [...keep(recorder)].sort(([a], [b]) => compare(a, b));
  const steady = steadier();
  const frozen = kept.map(([{ way, text, step }, place]) => ({
    place,
    way,
    text: steady(text, step),
  }));
  const of = (kind: Place[0]) => frozen.filter(({ place }) => place[0] === kind);
  const byName = (kind: Place[0]) =>
    Object.fromEntries(of(kind).map(({ place, text }) => [place[1], text]));
  const answered = byName('answered');
  const walk: Partial<Record<Chapter, string[]>> = {};
  for (const { place, way, text } of of('walk'))
    (walk[place[1] as Chapter] ??= []).push(`${way} ${text}`);
  const commands = Object.entries(byName('asked')).map(([name, asked]) => [
    name,
    { asked, answered: answered[name] },
  ]);
  return {
    walk,
    commands: Object.fromEntries(commands) as Frames['commands'],
    events: byName('events'),
    changes: byName('changes'),
  };
}

function* keep({ frames, shown }: Recorder): Generator<[Frame, Place]> {
  const seen = new Set<string>();
  const isNew = (what: string) => !seen.has(what) && Boolean(seen.add(what));
  for (const frame of frames) {
    const { who, way, text, chapter } = frame;
    if (chapter !== undefined && who === 'Echo') yield [frame, ['walk', chapter]];
    const [, kind, ack = '', json] = /^4(2|3|51-)(\d*)(\[.*)$/s.exec(text) ?? [];
    if (json === undefined) continue;
    const [name, payload] = JSON.parse(json) as [string, unknown];
    if (way === '→') {
      const answer = frames.find(
        (other) =>
          other.who === who &&
          other.step >= frame.step &&
          other.text.startsWith(`43${ack}[{"ok":true`),
      );
      if (answer === undefined || !isNew(name)) continue;
      yield [frame, ['asked', name]];
      yield [answer, ['answered', name]];
    } else if (kind === '2') {
      if (name === 'ready' || name === 'changes') if (isNew(name)) yield [frame, ['events', name]];
      if (name !== 'changes') continue;
      for (const { type } of (payload as { changes: { type: string }[] }).changes)
        if (isNew(type)) yield [frame, ['changes', type]];
    }
  }
  for (const [event, frame] of shown) yield [frame, ['events', event]];
}

/** Orders by step. Within a step by key, because frames that arrive together have no fixed order. */
function compare(a: Frame, b: Frame): number {
  return a.step - b.step || (key(a) < key(b) ? -1 : 1);
}

function key({ who, way, text }: Frame): string {
  // The opening and the pings of the server come first, its `41` last.
  const rank = /^[02]/.test(text) ? 0 : way === '→' ? 1 : text.startsWith('43') ? 2 : 3;
  return `${rank} ${who} ${text === '41' ? '~' : text.replaceAll(uuid, '')}`;
}

const uuid = /[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const beginning = Date.UTC(2026, 0, 5, 9);

/** Replaces ids by numbers, in order of appearance, and counts a second for each step. */
function steadier(): (text: string, step: number) => string {
  const known = new Map<string, string>();
  const counts: Record<string, number> = {};
  const number = (kind: string) => (counts[kind] = (counts[kind] ?? 0) + 1);
  const once = (what: string, make: () => string) => {
    const it = known.get(what) ?? make();
    known.set(what, it);
    return it;
  };
  const countedId = () => `019b8d0e-a000-7000-8000-${number('id').toString(16).padStart(12, '0')}`;
  return (text, step) => {
    const [, code] = /"invite":\{"code":"(\w+)"/.exec(text) ?? [];
    if (code !== undefined) once(code, () => `InviteCode${number('code')}`);
    let steady = text
      .replaceAll(uuid, (id) => once(id, countedId))
      .replaceAll(time, (at) => once(at, () => new Date(beginning + step * 1_000).toISOString()))
      .replaceAll(/pbot_[\w-]+/g, (token) => once(token, () => `pbot_EXAMPLE${number('token')}`))
      .replaceAll(/(?<="sid":")[^"]+/g, (sid) => once(sid, () => `EXAMPLE${number('sid')}`))
      .replaceAll(/(?<="secret":")[^"]+/g, 'EXAMPLE')
      .replaceAll(/(?<="value":{"key":")[^"]+/g, 'EXAMPLE')
      .replaceAll(/(?<="epoch":")[^"]+/g, 'f00dfeedf00dfeed')
      .replaceAll(/(?<="version":")[^"]+/g, '1.0.0')
      // A picture of the story may or may not be stored by now, so the free space varies.
      .replaceAll(/(?<="room":)\d+/g, '9999999986')
      .replaceAll(/(?<="client":")[^"]+/g, '/assets/main-EXAMPLE.js');
    for (const [was, is] of known)
      if (is.startsWith('InviteCode')) steady = steady.replaceAll(`"${was}"`, `"${is}"`);
    return steady;
  };
}

/** Returns examples that have changed. Ids and times do not count: one late answer would renumber all later ones. */
export function drift(then: Frames, now: Frames): string[] {
  const [before, after] = [linesOf(then), linesOf(now)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((what) => before.get(what) !== after.get(what))
    .map((what) => `${what}\n  was ${before.get(what)}\n  is  ${after.get(what)}`);
}

const linesOf = (frames: Frames) =>
  new Map(
    Object.entries(frames).flatMap(([part, examples]) =>
      Object.entries(examples as Record<string, unknown>).map(([name, example]) => [
        `${part}: ${name}`,
        JSON.stringify(example).replaceAll(uuid, 'an id').replaceAll(time, 'a time'),
      ]),
    ),
  );
