/** SQL conditions that decide which reports a member can answer. */

export const answerableUnless = (isOfOwnBot: string) =>
  `reports.server_id = members.server_id and reports.author_id <> members.user_id and not ${isOfOwnBot}
   and (not reports.owner_only or members.role = 'owner')
   and (not reports.staff_only or members.role <> 'member')`;

/**
 * An SQL condition: the member in `members` can answer the report in `reports`. False for their own messages, those of
 * their bots, and if only higher roles can answer it (`owner_only`, `staff_only`).
 */
export const answerable = answerableUnless(
  `exists (select from users as authors
     where authors.id = reports.author_id and authors.bot_owner_id = members.user_id)`,
);
