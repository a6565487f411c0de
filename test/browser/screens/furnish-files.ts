import sharp from 'sharp';
import { query } from '../../../server/database/database.ts';
import type { TestApp } from '../../support/app.ts';
import { upload } from '../../support/files.ts';
import { film, tone } from '../../support/media.ts';
import type { Person } from '../../support/person.ts';

export interface FileScene {
  /** A channel with pictures, and one with other files. */
  pictures: string;
  papers: string;
  sender: Person;
  setFull(isFull: boolean): Promise<unknown>;
}

export function view(width: number, height: number, [sky, hill]: readonly [string, string]) {
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="a" x2="0" y2="1"><stop stop-color="${sky}"/>
    <stop offset="1" stop-color="white"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#a)"/>
    <circle cx="${width * 0.65}" cy="${height * 0.35}" r="${height * 0.12}" fill="#fff3c4"/>
    <ellipse cx="${width * 0.3}" cy="${height}" rx="${width * 0.5}" ry="${height * 0.4}" fill="${hill}"/>
    <ellipse cx="${width * 0.8}" cy="${height}" rx="${width * 0.4}" ry="${height * 0.25}" fill="${hill}" opacity=".7"/>
  </svg>`;
  return sharp(Buffer.from(drawn)).jpeg({ quality: 90 }).toBuffer();
}

export const morning = ['#5b8def', '#2f6f4f'] as const;
export const evening = ['#d9774a', '#4b2e4f'] as const;
const night = ['#1c2440', '#0d1b2a'] as const;

export async function furnishFiles(
  app: TestApp,
  ann: Person,
  { serverId, code }: { serverId: string; code: string },
): Promise<FileScene> {
  const sender = await app.person('Jonas');
  await sender.send('server:join', { code });
  const open = async (name: string) =>
    (await ann.send('channel:create', { serverId, name })).channel.id;
  const [pictures, papers] = [await open('bilder'), await open('akten')];
  const say = async (
    person: Person,
    timelineId: string,
    body: string,
    files: readonly (readonly [name: string, bytes: Buffer, alt?: string])[],
  ) => {
    const sent = files.map(async ([name, bytes, alt]) => {
      const { id } = await upload(person, timelineId, bytes, name);
      return { id, ...(alt !== undefined && { alt }) };
    });
    await person.send('message:send', { timelineId, body, files: await Promise.all(sent) });
  };
  await say(sender, pictures, 'From the weekend', [
    ['morning.jpg', await view(1_200, 800, morning), 'The sea in the morning'],
    ['pano.jpg', await view(2_400, 500, evening)],
    ['tall.jpg', await view(500, 1_200, night)],
    ['square.jpg', await view(700, 700, morning)],
    ['small.jpg', await view(120, 90, evening)],
  ]);
  await say(ann, pictures, 'And this one', [['evening.jpg', await view(1_200, 900, evening)]]);
  await say(sender, papers, 'Minutes, and how it sounded', [
    ['recording.wav', tone(3)],
    ['walk.webm', await film(5, 640, 360)],
  ]);
  await say(ann, papers, '', [
    ['Softwarequalitätssicherungsmaßnahmenkoordinierung, Protokoll.pdf', Buffer.alloc(48_200, '%')],
    ['جدول المواعيد.xlsx', Buffer.alloc(9_300, '%')],
    ['logs', Buffer.from('tea')],
  ]);
  for (const [name, colours] of [
    ['sunrise', morning],
    ['sunset', evening],
    ['a_very_long_name_for_a_moonrise', night],
  ] as const) {
    const { id: fileId } = await upload(ann, { purpose: 'emoji' }, await view(64, 64, colours));
    await ann.send('emoji:create', { serverId, name, fileId });
  }
  return {
    ...{ pictures, papers, sender },
    setFull: (isFull) =>
      query(app.db, 'update file_usage set bytes = bytes + $1', [isFull ? 1e15 : -1e15]),
  };
}
