import type { CommandName, Input, Output } from '../../shared/protocol.ts';
import type { TestApp } from '../support/app.ts';
import {
  openPerson,
  cookieOf,
  openBotSocket,
  openSocket,
  post,
  type ClientSocket,
  type Person,
} from '../support/person.ts';
import type { Recorder } from './recorder.ts';

export interface WireStage {
  app: TestApp;
  recorder: Recorder;
  /** Sends a command, and waits until its effects have arrived. */
  does: <C extends CommandName>(person: Person, command: C, input: Input<C>) => Promise<Output<C>>;
  registers: (name: string) => Promise<Person>;
  signsIn: (name: string) => Promise<Person>;
  connects: (name: string, token: string) => Promise<Person>;
}

/** A browser, so that the sessions belong to a device. */
const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko Firefox/140.0' };
const password = 'four words are enough';

export function setStage(app: TestApp, recorder: Recorder): WireStage {
  const { url } = app;
  const enter = async (name: string, socket: ClientSocket, cookie = '') => {
    const person = await openPerson(recorder.tap(name, socket), url, cookie);
    await recorder.quiet();
    return person;
  };
  return {
    app,
    recorder,
    async does(person, command, input) {
      const value = await person.send(command, input);
      await recorder.quiet();
      return value;
    },
    async registers(name) {
      const form = { username: name.toLowerCase(), displayName: name, password };
      const cookie = cookieOf(await post(url, '/api/auth/register', form, agent));
      return enter(name, openSocket(url, cookie), cookie);
    },
    async signsIn(name) {
      const form = { username: name.toLowerCase(), password };
      const cookie = cookieOf(await post(url, '/api/auth/login', form, agent));
      return enter(`${name}, elsewhere`, openSocket(url, cookie), cookie);
    },
    connects: (name, token) => enter(name, openBotSocket(url, token)),
  };
}
