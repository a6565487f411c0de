/** Web Push: notifications for devices on which no page of Parley is open. */
import { z } from 'zod';
import { Bounded, command, Id, Nothing } from './contract.ts';
import { limits } from './limits.ts';

/** The fields of a browser’s `PushSubscription`. */
const Subscription = z.strictObject({
  endpoint: Bounded(limits.pushEndpoint, 'This isn’t the address of a push service.')
    .regex(/^https?:\/\/[\x21-\x7e]+$/, 'This isn’t the address of a push service.')
    .meta({
      maxLength: limits.pushEndpoint,
      examples: ['https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn'],
    }),
  /** The browser’s public key: 65 bytes, the point of P-256. */
  p256dh: z
    .string()
    .regex(/^B[\w-]{86}=?$/, 'This isn’t a public key.')
    .meta({
      examples: [
        'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
      ],
    }),
  /** 16 bytes that only the browser and Parley know. */
  auth: z
    .string()
    .regex(/^[\w-]{22}(==)?$/, 'This isn’t an authentication secret.')
    .meta({ examples: ['BTBZMqHH6r4Tts7J_aSIgg'] }),
});

/** The payload of a notification, as the service worker reads it. */
export interface PushedMessage {
  timelineId: string;
  /** The message’s position, so that the same message is shown once. */
  position: number;
  /** The positions of other unread messages there, which the notification counts. */
  others: number[];
  /** The person’s read position there. Messages up to it no longer count in the notification. */
  read: number;
  path: string;
  title: string;
  body: string;
  /** The recipient’s id, if they may send messages there. */
  replyAs?: string;
}

export const pushCommands = {
  'push:key': command({
    summary:
      'Returns the public key (VAPID) that a browser needs to subscribe to push messages of this Parley.',
    input: Nothing,
    output: z.strictObject({ key: z.string() }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
  'push:subscribe': command({
    summary:
      'Subscribes this session’s device to push messages, in place of its earlier subscription. With `hidesText`, push messages don’t contain the text of messages. Only the push services of browsers are accepted, and those that PARLEY_PUSH_SERVICES lists.',
    input: Subscription.extend({ hidesText: z.boolean() }),
    output: z.strictObject({ sessionId: Id }),
    errors: [],
    rate: 'write',
    who: 'people',
  }),
  'push:unsubscribe': command({
    summary: 'Unsubscribes one of your sessions from push messages, by default this one.',
    input: z.strictObject({ sessionId: Id.optional() }),
    output: Nothing,
    errors: ['not_found'],
    rate: 'write',
    who: 'people',
  }),
  'push:list': command({
    summary:
      'Lists your sessions that receive push messages, and returns whether another device turned them off for this one. A session that isn’t listed, and for which they weren’t turned off, can subscribe again.',
    input: Nothing,
    /** `current` is this session, even if it is not listed. */
    output: z.strictObject({
      sessionIds: z.array(Id),
      current: Id,
      isTurnedOff: z.boolean(),
    }),
    errors: [],
    rate: 'read',
    who: 'people',
  }),
};
