/** The wording of each action that only the audit log of the instance has. */
import type { AuditAction } from '../../shared/audit.ts';
import { worded, type Wording } from './wording.ts';

export const instanceWordings = {
  'account:created': worded(
    'accounts',
    '{actor} created an account',
    '{actor} created {n} accounts',
  ),
  'account:claimed': worded('accounts', '{actor} registered their guest account'),
  'session:created': worded('signIns', '{actor} signed in'),
  'session:refused': worded(
    'signIns',
    'Someone tried to sign in as {person} with a wrong password',
  ),
  'session:revoked': worded(
    'signIns',
    '{actor} signed out another device',
    '{actor} signed out other devices {n} times',
  ),
  'password:changed': worded('signIns', '{actor} changed their password'),
  'password:refused': worded('signIns', '{actor} entered a wrong current password'),
  'password:reset': worded('signIns', '{actor} reset their password with a link'),
  'reset:created': worded(
    'signIns',
    '{actor} created a password link for {person}',
    '{actor} created {n} password links',
  ),
  'account:signedOut': worded(
    'signIns',
    '{actor} signed {person} out everywhere',
    '{actor} signed {n} people out everywhere',
  ),
  'account:suspended': worded(
    'accounts',
    '{actor} suspended {person}',
    '{actor} suspended {n} accounts',
  ),
  'account:restored': worded(
    'accounts',
    '{actor} restored {person}',
    '{actor} restored {n} accounts',
  ),
  'administrator:added': worded(
    'accounts',
    '{actor} made {person} an administrator',
    '{actor} made {n} people administrators',
  ),
  'administrator:removed': worded(
    'accounts',
    '{actor} removed {person} as administrator',
    '{actor} removed {n} administrators',
  ),
  'instance:renamed': worded(
    'instance',
    '{actor} changed the name of this Parley to {detail}',
    '{actor} changed the name of this Parley {n} times',
  ),
  'instance:registrationSet': worded(
    'instance',
    '{actor} set “Who can create an account” to {detail}',
    '{actor} changed who can create an account {n} times',
  ),
  'instance:guestsSet': worded(
    'instance',
    '{actor} set “Who can join as a guest” to {detail}',
    '{actor} changed who can join as a guest {n} times',
  ),
  'instance:serverCreationSet': worded(
    'instance',
    '{actor} set “Who can create servers” to {detail}',
    '{actor} changed who can create servers {n} times',
  ),
} satisfies Partial<Record<AuditAction, Wording>>;
