/** What features say to the server and hear from it. Connecting is connection/'s business. */
import { connection } from '../connection/connection.svelte.ts';

const { driver } = connection;

/**
 * `send` a command as soon as the connection is ready: its value, a ChatError or NoResponse. `on` calls back with what
 * the server says; with `ready`, each time that commands may go out.
 */
export const { send, on } = driver;

/** Whether a command would go out at once. */
export const isOpen = () => driver.isReady;
