import type { Grantable } from '../../shared/permissions.ts';
import type { RoleColor } from '../../shared/role-colors.ts';

/** In the order of the dialog. */
export const permissionWords: Record<Grantable, string> = {
  'call everyone': 'Mention everyone',
  'pin messages': 'Pin messages',
  send: 'Send messages in announcement channels',
  'send at once': 'Bypass slow mode',
  'use any words': 'Bypass the word filter',
  'manage messages': 'Delete anyone’s messages and answer reports',
  'manage members': 'Time out, remove, ban, unban and rename members, and answer requests to join',
  'manage channels': 'Manage channels, categories and emoji',
  'manage invites': 'Manage invite links',
};

export const colorWords: Record<RoleColor, string> = {
  red: 'Red',
  orange: 'Orange',
  yellow: 'Yellow',
  green: 'Green',
  teal: 'Teal',
  blue: 'Blue',
  purple: 'Purple',
  pink: 'Pink',
};
