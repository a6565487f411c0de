import type { Server } from '../../shared/servers.ts';

/** Returns the saved values of the settings form. */
export const editsOf = ({ name, defaultChannelId, messageRequests, closedToGuests }: Server) => ({
  name,
  defaultChannelId,
  messaging: messageRequests ? 'requests' : 'direct',
  guests: closedToGuests ? 'closed' : 'open',
});
export type ServerEdits = ReturnType<typeof editsOf>;
