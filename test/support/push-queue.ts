import { query, type Db } from '../../server/database/database.ts';

/** A send under way holds its place for 60 seconds. */
const isUnderWay = (time: string) =>
  `${time} between now() + interval '50 seconds' and now() + interval '60 seconds'`;

/** Ends waits for the next attempt, for a device in use, or for the pace of a place, but not the grace of a message. */
export async function hurryPushes(db: Db): Promise<void> {
  await query(db, `update push_paces set free_at = now() where not ${isUnderWay('free_at')}`);
  await query(
    db,
    `update pushes set due_at = now()
     where due_at > now() + interval '4 seconds' and not ${isUnderWay('due_at')}`,
  );
}
