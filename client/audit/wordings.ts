/** The wording of each action in the audit log. */
import type { AuditAction } from '../../shared/audit.ts';
import { instanceWordings } from './instance-wordings.ts';
import type { Kind } from './kinds.ts';
import { worded, type Wording } from './wording.ts';

export const wordings: Record<AuditAction, Wording> = {
  ...instanceWordings,
  'bot:created': worded('bots', '{actor} created the bot {person}', '{actor} created {n} bots'),
  'bot:added': worded('bots', '{actor} added the bot {person}', '{actor} added {n} bots'),
  'bot:rotated': worded(
    'bots',
    '{actor} created a new token for the bot {person}',
    '{actor} created {n} new bot tokens',
  ),
  'bot:revoked': worded(
    'bots',
    '{actor} revoked the token of the bot {person}',
    '{actor} revoked {n} bot tokens',
  ),
  'bot:deleted': worded('bots', '{actor} deleted the bot {person}', '{actor} deleted {n} bots'),
  'server:claimed': worded('server', '{actor} became the owner'),
  'server:offered': worded(
    'server',
    '{actor} offered ownership to {person}',
    '{actor} offered ownership {n} times',
  ),
  'server:transferred': worded(
    'server',
    '{actor} took over ownership from {person}',
    '{actor} took over ownership {n} times',
  ),
  'server:requestsOn': worded('server', '{actor} turned on message requests between members'),
  'server:requestsOff': worded('server', '{actor} turned off message requests between members'),
  'server:closedToGuests': worded('server', '{actor} closed the server to guests'),
  'server:openedToGuests': worded('server', '{actor} opened the server to guests'),
  'server:approvalOn': worded('server', '{actor} turned on approval for new members'),
  'server:approvalOff': worded('server', '{actor} turned off approval for new members'),
  'joinRequest:accepted': worded(
    'members',
    '{actor} accepted {person}’s request to join',
    '{actor} accepted {n} requests to join',
  ),
  'joinRequest:declined': worded(
    'members',
    '{actor} declined {person}’s request to join',
    '{actor} declined {n} requests to join',
  ),
  'server:previewsOff': worded('server', '{actor} turned off link previews'),
  'server:previewsOn': worded('server', '{actor} turned on link previews'),
  'wordFilter:changed': worded(
    'server',
    '{actor} changed the word filter, which now has {detail}',
    '{actor} changed the word filter {n} times',
  ),
  'server:deleted': worded(
    'server',
    '{actor} deleted the server {detail}',
    '{actor} deleted {n} servers',
  ),
  'category:deleted': worded(
    'channels',
    '{actor} deleted the category {detail}',
    '{actor} deleted {n} categories',
  ),
  'emoji:deleted': worded(
    'channels',
    '{actor} deleted the emoji :{detail}:',
    '{actor} deleted {n} emoji',
  ),
  'role:created': worded(
    'members',
    '{actor} created the role {detail}',
    '{actor} created {n} roles',
  ),
  'role:changed': worded(
    'members',
    '{actor} changed the role {detail}',
    '{actor} changed roles {n} times',
  ),
  'role:deleted': worded(
    'members',
    '{actor} deleted the role {detail}',
    '{actor} deleted {n} roles',
  ),
  'role:given': worded(
    'members',
    '{actor} gave {person} the role {detail}',
    '{actor} gave roles to members {n} times',
  ),
  'role:taken': worded(
    'members',
    '{actor} removed the role {detail} from {person}',
    '{actor} removed roles from members {n} times',
  ),
  'channel:closed': worded(
    'channels',
    '{actor} made {channel} private',
    '{actor} made channels private {n} times',
  ),
  'channel:opened': worded(
    'channels',
    '{actor} made {channel} public',
    '{actor} made channels public {n} times',
  ),
  'channel:announcementsOn': worded(
    'channels',
    '{actor} limited {channel} to announcements',
    '{actor} limited channels to announcements {n} times',
  ),
  'channel:announcementsOff': worded(
    'channels',
    '{actor} let everyone send messages in {channel}',
    '{actor} let everyone send messages in channels {n} times',
  ),
  'channel:slowModeSet': worded(
    'channels',
    '{actor} set slow mode in {channel} to {detail}',
    '{actor} changed slow mode {n} times',
  ),
  'channel:rolesSet': worded(
    'channels',
    '{actor} changed role permissions in {channel}',
    '{actor} changed role permissions in channels {n} times',
  ),
  'channel:memberAdded': worded(
    'channels',
    '{actor} added {person} to {channel}',
    '{actor} added people to private channels {n} times',
  ),
  'channel:memberRemoved': worded(
    'channels',
    '{actor} removed {person} from {channel}',
    '{actor} removed people from private channels {n} times',
  ),
  'channel:deleted': worded(
    'channels',
    '{actor} deleted the channel #{detail}',
    '{actor} deleted {n} channels',
  ),
  'message:deleted': worded(
    'messages',
    '{actor} deleted a message from {person}',
    '{actor} deleted {n} messages from others',
  ),
  'messages:deleted': worded(
    'messages',
    '{actor} deleted the messages from {person} since {detail}',
    '{actor} deleted recent messages from people {n} times',
  ),
  'report:handled': worded(
    'reports',
    '{actor} handled a report of a message by {person}',
    '{actor} handled {n} reports',
  ),
  'report:dismissed': worded(
    'reports',
    '{actor} dismissed a report of a message by {person}',
    '{actor} dismissed {n} reports',
  ),
  'member:roleChanged': worded(
    'members',
    '{actor} made {person} a {detail}',
    '{actor} changed {n} roles',
  ),
  'member:removed': worded('members', '{actor} removed {person}', '{actor} removed {n} members'),
  'member:timedOut': worded(
    'bans',
    '{actor} timed out {person}',
    '{actor} timed out members {n} times',
  ),
  'member:timeoutEnded': worded(
    'bans',
    '{actor} ended the time-out of {person}',
    '{actor} ended {n} time-outs',
    ['The time-out of {person} expired', '{n} time-outs expired'],
  ),
  'ban:created': worded('bans', '{actor} banned {person}', '{actor} banned {n} people'),
  'ban:deleted': worded('bans', '{actor} unbanned {person}', '{actor} unbanned {n} people'),
  'ban:ended': worded('bans', 'The ban on {person} expired', '{n} bans expired'),
  'invite:created': worded(
    'invites',
    '{actor} created the invite link {detail}',
    '{actor} created {n} invite links',
  ),
  'invite:deleted': worded(
    'invites',
    '{actor} revoked the invite link {detail}',
    '{actor} revoked {n} invite links',
  ),
  'invite:paused': worded(
    'invites',
    '{actor} paused all invite links until {detail}',
    '{actor} paused all invite links {n} times',
  ),
  'invite:resumed': worded('invites', '{actor} resumed invite links'),
};

export const actionsOf = (kind: Kind): AuditAction[] =>
  (Object.keys(wordings) as AuditAction[]).filter((action) => wordings[action].kind === kind);
