/** Sending commands and receiving events for features. connection/ opens the connection. */
import { connection } from '../connection/connection.svelte.ts';

const { driver } = connection;

/** `send` throws a ChatError or NoResponse. `on` calls back with `ready` each time that commands can be sent. */
export const { send, on } = driver;

/** Replaces the connection if no packet arrives in time. Must be called with a command, so that there is an answer. */
export const expectPacket = (withinMs: number) => {
  driver.expectPacket(withinMs);
};

export const isOpen = () => driver.isReady;
