/** Whose a bot is stands with the account: everyone who sees the bot is told, also once it is deleted. */
export const botOwners = `
alter table users add column bot_owner_id uuid references users (id);
update users set bot_owner_id = bots.owner_id from bots where bots.user_id = users.id;
`;
