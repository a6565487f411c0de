/** The file that is a server’s icon. */
export const serverIcons = 'alter table servers add column icon_id uuid';
