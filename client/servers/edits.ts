import type { Server } from '../../shared/servers.ts';

/** Returns the saved values of the settings form. */
export const editsOf = (server: Server) => ({
  name: server.name,
  defaultChannelId: server.defaultChannelId,
  messaging: server.messageRequests ? 'requests' : 'direct',
  guests: server.closedToGuests ? 'closed' : 'open',
  approval: server.approval ? 'needed' : 'none',
  previews: server.noPreviews ? 'off' : 'on',
});
export type ServerEdits = ReturnType<typeof editsOf>;
