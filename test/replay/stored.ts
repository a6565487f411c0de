import { query, type Db } from '../../server/database/database.ts';
import type { ComparedMessage } from './said.ts';
import type { ReplayConnection } from './connection.ts';

export async function readListed(
  visitor: ReplayConnection,
  timelineId: string,
): Promise<ComparedMessage[]> {
  const all: ComparedMessage[] = [];
  for (let more = true; more;) {
    const after = all.at(-1)?.position ?? 0;
    const page = await visitor.ask('message:list', { timelineId, after, limit: 100 });
    all.push(...page.messages);
    more = page.more.after;
  }
  return all;
}

export const readStoredMessages = (db: Db, timelineId: string): Promise<ComparedMessage[]> =>
  query<ComparedMessage>(
    db,
    `select id, position, author_id as "authorId", body from messages
     where timeline_id = $1 order by position`,
    [timelineId],
  );
