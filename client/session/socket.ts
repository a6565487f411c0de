/** How features send commands and receive events. connection/ opens the connection. */
import { connection } from '../connection/connection.svelte.ts';

const { driver } = connection;

/**
 * `send` sends a command once the connection is ready and returns its value, or throws a ChatError or NoResponse. `on`
 * calls back with an event of the server; with `ready`, each time that commands can be sent.
 */
export const { send, on } = driver;

/** Replaces a dead connection soon: call it together with a command. */
export const expectPacket = (withinMs: number) => {
  driver.expectPacket(withinMs);
};

/** Whether a command would be sent at once. */
export const isOpen = () => driver.isReady;
