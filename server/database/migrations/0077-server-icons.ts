export const serverIcons = 'alter table servers add column icon_id uuid';
