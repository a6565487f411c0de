/** The list of migrations. */
import type { Db } from './database.ts';
import { ground } from './migrations/0001-ground.ts';
import { truth } from './migrations/0002-truth.ts';
import { bots } from './migrations/0005-bots.ts';
import { friends } from './migrations/0006-friends.ts';
import { privates } from './migrations/0007-privates.ts';
import { mentions } from './migrations/0008-mentions.ts';
import { statuses } from './migrations/0009-statuses.ts';
import { large } from './migrations/0010-large.ts';
import { conversations } from './migrations/0011-conversations.ts';
import { categories } from './migrations/0012-categories.ts';
import { names } from './migrations/0013-names.ts';
import { formerGuests } from './migrations/0030-former-guests.ts';
import { bannedInvites } from './migrations/0034-banned-invites.ts';
import { endedTimelines } from './migrations/0035-ended-timelines.ts';
import { untoldServers } from './migrations/0036-untold-servers.ts';
import { numbers } from './migrations/0037-numbers.ts';
import { audit } from './migrations/0038-audit.ts';
import { botOwners } from './migrations/0039-bot-owners.ts';
import { messageRequests } from './migrations/0040-message-requests.ts';
import { called } from './migrations/0043-called.ts';
import { transfers } from './migrations/0044-transfers.ts';
import { administration } from './migrations/0045-administration.ts';
import { foundChannels } from './migrations/0046-found-channels.ts';
import { deletedBy } from './migrations/0047-deleted-by.ts';
import { banTerms } from './migrations/0048-ban-terms.ts';
import { repliesAndReactions } from './migrations/0049-replies-and-reactions.ts';
import { purges } from './migrations/0053-purges.ts';
import { unreadMarks } from './migrations/0054-unread-marks.ts';
import { localTime } from './migrations/0057-local-time.ts';
import { pins, pinsIndex } from './migrations/0059-pins.ts';
import { calls, callsIndex } from './migrations/0061-calls.ts';
import { files } from './migrations/0063-files.ts';
import { pictures } from './migrations/0070-pictures.ts';
import { search, searchBefore } from './migrations/0071-search.ts';
import { movedFiles } from './migrations/0073-moved-files.ts';
import { picturesOf } from './migrations/0076-pictures-of.ts';
import { serverIcons } from './migrations/0077-server-icons.ts';
import { emoji } from './migrations/0078-emoji.ts';
import { notifications } from './migrations/0080-notifications.ts';
import { pictureSizes } from './migrations/0081-picture-sizes.ts';
import { push } from './migrations/0083-push.ts';
import { pushTurnedOff } from './migrations/0084-push-turned-off.ts';
import { uploadDays } from './migrations/0086-upload-days.ts';
import { reservedFiles } from './migrations/0088-reserved-files.ts';
import { passwordResetsNoted } from './migrations/0089-password-resets-noted.ts';
import { deletedIndex } from './migrations/0090-deleted-index.ts';
import { pushTurns } from './migrations/0091-push-turns.ts';
import { announcements } from './migrations/0092-announcements.ts';
import { serverRequests } from './migrations/0093-server-requests.ts';
import { judgedPushes } from './migrations/0094-judged-pushes.ts';
import { pushPaces } from './migrations/0095-push-paces.ts';
import { slowMode } from './migrations/0096-slow-mode.ts';
import { timeouts } from './migrations/0097-timeouts.ts';
import { invitePauses } from './migrations/0098-invite-pauses.ts';
import { newestMembers } from './migrations/0099-newest-members.ts';
import { guestDoors } from './migrations/0100-guest-doors.ts';
import { origins } from './migrations/0101-origins.ts';
import { reports } from './migrations/0102-reports.ts';
import { wordFilters } from './migrations/0103-word-filters.ts';
import { sidebarLists } from './migrations/0104-sidebar-lists.ts';
import { auditTimes } from './migrations/0105-audit-times.ts';
import { statusTexts } from './migrations/0106-status-texts.ts';
import { noPreviews, previews } from './migrations/0107-previews.ts';
import { channelRoles, listedMembers, roleIds, roles } from './migrations/0109-roles.ts';
import { membersByRole, viewerRoles } from './migrations/0113-viewers.ts';
import {
  administratorIndex,
  guestIndex,
  suspendedIndex,
} from './migrations/0115-account-groups.ts';
import { staffReports } from './migrations/0118-staff-reports.ts';
import { nodes } from './migrations/0119-nodes.ts';
import { joinRequests } from './migrations/0120-join-requests.ts';
import { linkedPictures } from './migrations/0121-linked-pictures.ts';
import { filesBack, movedIndex } from './migrations/0122-files-back.ts';

export interface Migration {
  name: string;
  sql: string;
  /** Fills in data that SQL cannot compute, in the same transaction. */
  fill?: (db: Db) => Promise<void>;
  /** The index that `sql` creates by a single `create index concurrently`, so that writes to a large table continue. */
  index?: string;
}

/** Functions of the features that fill columns added by migrations: the names for searches. */
export interface Fills {
  peopleNames: (db: Db) => Promise<void>;
  nicknames: (db: Db) => Promise<void>;
  channelNames: (db: Db) => Promise<void>;
}

/** In order. A released migration is never changed. */
export function releasedMigrations({ peopleNames, nicknames, channelNames }: Fills): Migration[] {
  const allNames = async (db: Db) => {
    await peopleNames(db);
    await nicknames(db);
  };
  return [
    { name: '0001-ground', sql: ground },
    { name: '0002-truth', sql: truth },
    { name: '0005-bots', sql: bots },
    { name: '0006-friends', sql: friends },
    { name: '0007-privates', sql: privates },
    { name: '0008-mentions', sql: mentions },
    { name: '0009-statuses', sql: statuses },
    { name: '0010-large', sql: large },
    { name: '0011-conversations', sql: conversations },
    { name: '0012-categories', sql: categories },
    { name: '0013-names', sql: names, fill: peopleNames },
    { name: '0030-former-guests', sql: formerGuests },
    { name: '0034-banned-invites', sql: bannedInvites },
    { name: '0035-ended-timelines', sql: endedTimelines },
    { name: '0036-untold-servers', sql: untoldServers },
    { name: '0037-numbers', sql: numbers },
    { name: '0038-audit', sql: audit },
    { name: '0039-bot-owners', sql: botOwners },
    { name: '0040-message-requests', sql: messageRequests },
    { name: '0043-called', sql: called, fill: allNames },
    { name: '0044-transfers', sql: transfers },
    { name: '0045-administration', sql: administration },
    { name: '0046-found-channels', sql: foundChannels, fill: channelNames },
    { name: '0047-deleted-by', sql: deletedBy },
    { name: '0048-ban-terms', sql: banTerms },
    { name: '0049-replies-and-reactions', sql: repliesAndReactions },
    { name: '0053-purges', sql: purges },
    { name: '0054-unread-marks', sql: unreadMarks },
    { name: '0057-local-time', sql: localTime },
    { name: '0059-pins', sql: pins },
    { name: '0060-pins-index', sql: pinsIndex, index: 'messages_pinned' },
    { name: '0061-calls', sql: calls },
    { name: '0062-calls-index', sql: callsIndex, index: 'messages_calls' },
    { name: '0063-files', sql: files },
    { name: '0070-pictures', sql: pictures },
    { name: '0071-search', sql: search },
    { name: '0072-search-before', sql: searchBefore },
    { name: '0073-moved-files', sql: movedFiles },
    { name: '0076-pictures-of', sql: picturesOf },
    { name: '0077-server-icons', sql: serverIcons },
    { name: '0078-emoji', sql: emoji },
    { name: '0080-notifications', sql: notifications },
    { name: '0081-picture-sizes', sql: pictureSizes },
    { name: '0083-push', sql: push },
    { name: '0084-push-turned-off', sql: pushTurnedOff },
    // Needs no column: the look of a name is one of its search terms.
    { name: '0085-looks', sql: 'select 1', fill: allNames },
    { name: '0086-upload-days', sql: uploadDays },
    { name: '0088-reserved-files', sql: reservedFiles },
    { name: '0089-password-resets-noted', sql: passwordResetsNoted },
    { name: '0090-deleted-index', sql: deletedIndex, index: 'messages_deleted' },
    { name: '0091-push-turns', sql: pushTurns },
    { name: '0092-announcements', sql: announcements },
    { name: '0093-server-requests', sql: serverRequests },
    { name: '0094-judged-pushes', sql: judgedPushes },
    { name: '0095-push-paces', sql: pushPaces },
    { name: '0096-slow-mode', sql: slowMode },
    { name: '0097-timeouts', sql: timeouts },
    { name: '0098-invite-pauses', sql: invitePauses },
    { name: '0099-newest-members', sql: newestMembers, index: 'members_joined' },
    { name: '0100-guest-doors', sql: guestDoors },
    { name: '0101-origins', sql: origins },
    { name: '0102-reports', sql: reports },
    { name: '0103-word-filters', sql: wordFilters },
    { name: '0104-sidebar-lists', sql: sidebarLists },
    { name: '0105-audit-times', sql: auditTimes, index: 'audit_times' },
    { name: '0106-status-texts', sql: statusTexts },
    { name: '0107-previews', sql: previews },
    { name: '0108-no-previews', sql: noPreviews },
    { name: '0109-role-ids', sql: roleIds },
    { name: '0110-roles', sql: roles },
    { name: '0111-listed-members', sql: listedMembers, index: 'members_listed' },
    { name: '0112-channel-roles', sql: channelRoles },
    { name: '0113-viewer-roles', sql: viewerRoles },
    { name: '0114-members-by-role', sql: membersByRole },
    { name: '0115-administrators', sql: administratorIndex, index: 'users_administrators' },
    { name: '0116-suspended', sql: suspendedIndex, index: 'users_suspended' },
    { name: '0117-guests-by-id', sql: guestIndex, index: 'users_guests_by_id' },
    { name: '0118-staff-reports', sql: staffReports },
    { name: '0119-nodes', sql: nodes },
    { name: '0120-join-requests', sql: joinRequests },
    { name: '0121-linked-pictures', sql: linkedPictures },
    { name: '0122-files-back', sql: filesBack },
    { name: '0123-moved-files-index', sql: movedIndex, index: 'files_moved' },
  ];
}
