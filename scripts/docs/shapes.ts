/** Every shape of the contract as JSON Schema, by name. The published documents are made of these. */
import { z } from 'zod';
import { Account, authEndpoints, Session, SignedIn, UsernameLook } from '../../shared/accounts.ts';
import { Bot, BotScope } from '../../shared/bots.ts';
import { changeSchema, rows } from '../../shared/changes.ts';
import { Channel } from '../../shared/channels.ts';
import { Id, NewId, Nothing, PersonId, Time, RoomName } from '../../shared/contract.ts';
import { AnyChange, AnyEntry, AnySyncEntry, State } from '../../shared/entry.ts';
import { Handshake, Refused, RefusedHandshake, serverEvents } from '../../shared/events.ts';
import { Invite, InviteCode, InvitePreview } from '../../shared/invites.ts';
import { Ban, Counts, Role } from '../../shared/members.ts';
import { People, Person, UserKind } from '../../shared/people.ts';
import { ChosenStatus, PresenceMap, Status } from '../../shared/presence.ts';
import { commands, protocolVersion, type CommandName } from '../../shared/protocol.ts';
import { Badge, Badges, ReadPosition } from '../../shared/reads.ts';
import { changeShapes, roomSlices, type ChangeType, type SliceName } from '../../shared/rooms.ts';

export type Shape = z.core.JSONSchema.BaseSchema;
export type Shapes = Record<string, Shape>;

/** The JSON Schema version of a document, and the place of the shapes in it. */
export interface Dialect {
  target: 'draft-2020-12' | 'draft-7';
  at: string;
}

export const commandNames = Object.keys(commands) as CommandName[];
export const changeTypes = Object.keys(changeShapes) as ChangeType[];
export const eventNames = Object.keys(serverEvents) as (keyof typeof serverEvents)[];

/** `message:send` → `message.send`: OpenAPI and AsyncAPI allow no colon. */
export const dottedName = (name: string) => name.replaceAll(':', '.');

export const sharedShapes = {
  Id,
  PersonId,
  NewId,
  Time,
  InviteCode,
  Room: RoomName,
  BotScope,
  ChosenStatus,
};

/** Shapes that only the server sends. */
export const things = {
  Nothing,
  Failure: Refused,
  Person,
  People,
  UserKind,
  Account,
  Session,
  SignedIn,
  UsernameLook,
  Server: rows.servers,
  Transfer: rows.transfers,
  TaskCount: rows.taskCounts,
  PublicChannel: rows.channels,
  PrivateChannel: rows.privateChannels,
  Channel,
  Category: rows.categories,
  CustomEmoji: rows.emoji,
  CustomRole: rows.roles,
  Member: rows.members,
  Role,
  Counts,
  Ban,
  Message: rows.messages,
  Conversation: rows.conversations,
  Friendship: rows.friendships,
  FriendRequest: rows.friendRequests,
  Block: rows.blocks,
  NotificationSetting: rows.notificationSettings,
  SidebarList: rows.sidebarLists,
  Invite,
  InvitePreview,
  Bot,
  Status,
  PresenceMap,
  Badge,
  Badges,
  Reading: ReadPosition,
  State,
  Change: AnyChange,
  Entry: AnyEntry,
  SyncEntry: AnySyncEntry,
};

export function shapes(dialect: Dialect): Shapes {
  const named = <T>(all: T[], nameOf: (one: T) => string, of: (one: T) => z.ZodType) =>
    Object.fromEntries(all.map((one) => [nameOf(one), of(one)]));
  const said = {
    ...sharedShapes,
    ...things,
    ...named(commandNames, outputName, (name) => commands[name].output),
    ...named(changeTypes, changeOf, changeSchema),
    ...named(eventNames, eventOf, (event) => serverEvents[event].payload),
    'handshake.refused': RefusedHandshake,
  };
  const asked = {
    ...sharedShapes,
    ...named(commandNames, inputName, (name) => commands[name].input),
    ...named(
      Object.keys(authEndpoints),
      doorOf,
      (door) => authEndpoints[door as keyof typeof authEndpoints].input,
    ),
    'handshake.auth': Handshake,
  };
  return { ...opened(translate(said, 'output', dialect)), ...translate(asked, 'input', dialect) };
}

/** Opens the server’s shapes, because they can grow within a version. Inputs stay closed. */
function opened(said: Shapes): Shapes {
  return JSON.parse(
    JSON.stringify(said, (key, value: unknown) =>
      key === 'additionalProperties' && value === false ? undefined : value,
    ),
  ) as Shapes;
}

export const inputName = (name: string) => `${dottedName(name)}.input`;
export const outputName = (name: string) => `${dottedName(name)}.output`;
export const changeOf = (type: string) => `${dottedName(type)}.change`;
export const eventOf = (event: string) => `${event}.event`;
export const doorOf = (door: string) => `auth.${door}.input`;

function translate(all: Record<string, z.ZodType>, io: 'input' | 'output', dialect: Dialect) {
  const registry = z.registry<{ id: string }>();
  const names = new Map<z.ZodType, string>();
  for (const [id, schema] of Object.entries(all)) {
    // Two commands can share a schema, but a schema can have only one name.
    if (names.has(schema)) continue;
    names.set(schema, id);
    registry.add(schema, { id });
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    target: dialect.target,
    uri: (id) => dialect.at + id,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => amend(zodSchema, jsonSchema, dialect),
  });
  return Object.fromEntries(
    Object.entries(all).map(([id, schema]): [string, Shape] => {
      const name = names.get(schema) ?? id;
      const { $schema: _dialect, $id: _place, ...shape } = schemas[name] ?? {};
      return [id, name !== id && isNamed(name) ? refer(dialect, name) : shape];
    }),
  );
}

const isNamed = (name: string) => name in sharedShapes || name in things;

export const refer = ({ at }: Dialect, name: string): Shape => ({ $ref: at + name });

/** Adds what Zod cannot know, and removes what it says redundantly. */
function amend(schema: z.core.$ZodTypes, shape: Shape, dialect: Dialect): void {
  const { def } = schema._zod;
  // A transformed value has the shape that it had before.
  if (def.type === 'pipe' && def.out._zod.def.type === 'transform') {
    const { $schema: _dialect, ...before } = z.toJSONSchema(def.in, {
      io: 'input',
      target: dialect.target,
    });
    Object.assign(shape, before);
  }
  // The format implies the pattern, except for version 7.
  if (typeof shape.format === 'string' && !shape.pattern?.includes('-7')) delete shape.pattern;
  if (shape.maximum === Number.MAX_SAFE_INTEGER) delete shape.maximum;
  if (shape.minimum === Number.MIN_SAFE_INTEGER) delete shape.minimum;
  if (Object.is(schema, State)) replace(shape, { anyOf: states(dialect) });
  if (Object.is(schema, AnyChange))
    replace(shape, { oneOf: changeTypes.map((type) => refer(dialect, changeOf(type))) });
}

function replace(shape: Shape, by: Shape): void {
  for (const key of Object.keys(shape)) Reflect.deleteProperty(shape, key);
  Object.assign(shape, by);
}

const states = (dialect: Dialect): Shape[] =>
  Object.entries(roomSlices).map(([kind, slices]) => ({
    title: `State of a ${kind}’s room`,
    type: 'object',
    properties: Object.fromEntries(
      slices.map((slice) => [slice, { type: 'array', items: refer(dialect, rowNames[slice]) }]),
    ),
    required: [...slices],
  }));

const rowNames: Record<SliceName, keyof typeof things> = {
  servers: 'Server',
  transfers: 'Transfer',
  taskCounts: 'TaskCount',
  privateChannels: 'PrivateChannel',
  categories: 'Category',
  emoji: 'CustomEmoji',
  roles: 'CustomRole',
  channels: 'PublicChannel',
  members: 'Member',
  messages: 'Message',
  conversations: 'Conversation',
  friendships: 'Friendship',
  friendRequests: 'FriendRequest',
  blocks: 'Block',
  notificationSettings: 'NotificationSetting',
  sidebarLists: 'SidebarList',
};

export function freshSchema(): string {
  const $defs = shapes({ target: 'draft-2020-12', at: '#/$defs/' });
  return print({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Parley, protocol ${protocolVersion}`,
    description:
      'The messages of the protocol: `<command>.input`, `<command>.output`, `<change>.change` and `<event>.event`, and the types they consist of.',
    $defs,
  });
}

export const print = (document: object) => `${JSON.stringify(document, null, 2)}\n`;
