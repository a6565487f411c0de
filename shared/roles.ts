/** Custom roles of a server: a name with a color, a mark and permissions, for some of its members. */
import { z } from 'zod';
import {
  command,
  Id,
  List,
  Name,
  NewId,
  Nothing,
  PersonId,
  SortPosition,
  Time,
  Version,
} from './contract.ts';
import { UnicodeEmoji } from './emoji.ts';
import { limits } from './limits.ts';
import { Member } from './members.ts';
import { grantable } from './permissions.ts';
import { roleColors } from './role-colors.ts';

export const RoleColor = z.enum(roleColors);

const RoleName = Name(limits.roleName);
/** Each permission once, in the order of the table. */
const GrantedPermissions = List(z.enum(grantable), grantable.length).transform((chosen) =>
  grantable.filter((permission) => chosen.includes(permission)),
);

export const CustomRole = z.strictObject({
  id: Id,
  serverId: Id,
  name: z.string(),
  /** The color of its members’ names. Null: none. */
  color: RoleColor.nullable(),
  /** An emoji beside its members’ names. Null: none. */
  mark: z.string().nullable(),
  /**
   * The permissions that the role adds to those of every member. `send`, `send at once` and `use any words` lift the
   * restrictions of announcement channels, slow mode and the word filter.
   */
  permissions: z.array(z.enum(grantable)),
  /** Lower comes first. A member’s name has the color of their first role with a color, and likewise the mark. */
  position: z.number(),
  createdAt: Time,
  version: Version,
});
export type CustomRole = z.infer<typeof CustomRole>;

const One = z.strictObject({ role: CustomRole });
const RoleTarget = z.strictObject({ serverId: Id, roleId: Id });
const Holder = RoleTarget.extend({ userId: PersonId });

const look = {
  color: RoleColor.nullable().optional(),
  mark: UnicodeEmoji.nullable().optional(),
  permissions: GrantedPermissions.optional(),
};

export const roleCommands = {
  'role:create': command({
    summary: 'Creates a custom role of a server, below its other roles. For the owner.',
    input: z.strictObject({ serverId: Id, name: RoleName, ...look, id: NewId.optional() }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'create',
  }),
  'role:update': command({
    summary:
      'Changes a role, or moves it to the place of the role that is at `position` now. For the owner.',
    input: RoleTarget.extend({
      name: RoleName.optional(),
      ...look,
      position: SortPosition.optional(),
    }),
    output: One,
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'role:delete': command({
    summary: 'Deletes a role, and takes it from everyone who has it. For the owner.',
    input: RoleTarget,
    output: Nothing,
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
  'role:give': command({
    summary:
      'Gives a role to a member you outrank; the owner also to themselves. Requires all permissions of the role, also those that it has in a channel, and access to the private channels that it opens. Guests can’t have roles. For moderators and the owner.',
    input: Holder,
    output: z.strictObject({ member: Member }),
    errors: ['forbidden', 'not_found', 'conflict'],
    rate: 'write',
  }),
  'role:take': command({
    summary:
      'Takes a role from a member you outrank; the owner also from themselves. Requires the same as giving it. For moderators and the owner.',
    input: Holder,
    output: z.strictObject({ member: Member }),
    errors: ['forbidden', 'not_found'],
    rate: 'write',
  }),
};
