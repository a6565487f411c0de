import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { previewedLinks } from '../../server/links/links.ts';
import { query } from '../../server/database/database.ts';
import { timelineRoom } from '../../shared/rooms.ts';
import type { Random } from '../support/generate.ts';
import { atLength } from '../support/length.ts';
import { html, openLinkedSite, titled, type LinkedSite } from '../support/linked-site.ts';
import { Mirror } from '../support/mirror.ts';
import { openPlace } from '../support/place.ts';
import { sharedRedis } from '../support/redis.ts';
import { lawRandom, lawSeed } from '../support/seed.ts';
import { until } from '../support/time.ts';
import { describeTopologies, joinedBy } from '../support/topologies.ts';

let site: LinkedSite;
let links: string[];

async function openSite() {
  const random = lawRandom();
  site = await openLinkedSite();
  links = Array.from({ length: 6 }, (_, i) =>
    site.serve(`/${i}`, (request, response) => {
      setTimeout(
        () => {
          html(titled(`Page ${i}`))(request, response);
        },
        random.int(0, 200),
      );
    }),
  );
  return joinedBy((await sharedRedis()).url, site.settings);
}

const wording = (random: Random) =>
  Array.from({ length: random.int(0, 4) }, () => random.pick(links)).join(' and ') || 'no link';

describeTopologies(
  `previews of links, with LAW_SEED=${lawSeed}`,
  (topology) => {
    after(() => site.close());

    it('match the links of the text, except removed ones, under concurrent edits and removals', async () => {
      const random = lawRandom();
      const people = [
        await topology().person(),
        await topology().person(),
        await topology().person(),
      ] as const;
      const { channelId: timelineId } = await openPlace(...people);
      const mirrors = people.map((person) => new Mirror(person));
      for (const mirror of mirrors) await mirror.open(timelineRoom(timelineId));
      const removed = new Set<string>();
      for (let round = 0; round < atLength(6, 40); round += 1) {
        await Promise.all(
          people.map(async (person) => {
            const body = wording(random);
            const { message } = await person.send('message:send', { timelineId, body });
            const messageId = message.id;
            for (let act = random.int(0, 3); act > 0; act -= 1) {
              await sleep(random.int(0, 1_500));
              if (random.chance(0.3)) {
                removed.add(messageId);
                const link = random.pick(links);
                await person.send('preview:remove', { messageId, link });
              } else await person.send('message:edit', { messageId, body: wording(random) });
            }
            if (random.chance(0.1)) await person.send('message:delete', { messageId });
          }),
        );
      }
      const { db } = topology().nodes[0];
      await until(async () => (await query(db, 'select from preview_queue')).length === 0);
      for (const mirror of mirrors) await mirror.becomesTrue();
      const { messages } = await people[0].send('message:list', { timelineId, limit: 100 });
      for (const { id, body, previews = [] } of messages) {
        const shown = previews.map(({ link }) => link);
        const wanted = previewedLinks(body);
        if (removed.has(id)) expect(wanted).to.include.members(shown);
        else expect(shown, body).to.deep.equal(wanted);
      }
      // Each page was read once, by one of the nodes or by both at the same moment.
      for (const link of links) expect(site.requestsFor(new URL(link).pathname)).to.be.at.most(2);
    });
  },
  { 'two nodes joined by Redis': openSite },
);
