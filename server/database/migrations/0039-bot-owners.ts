/** A bot's owner is in the account, because everyone who sees the bot sees it, even once the bot is deleted. */
export const botOwners = `
alter table users add column bot_owner_id uuid references users (id);
update users set bot_owner_id = bots.owner_id from bots where bots.user_id = users.id;
`;
