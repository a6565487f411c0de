/** Packets that no real client sends, below the level of commands. */
import type { Socket } from 'socket.io-client';
import type { Random } from './generate.ts';

/** Names that are no commands. Names reserved by Socket.IO cannot be emitted, and are among the malformed packets. */
export const strangeNames: (string | number)[] = [
  'error',
  'message:nope',
  'message:send ',
  'MESSAGE:SEND',
  'message',
  'ready',
  'changes',
  'closing',
  'connection',
  'removeAllListeners',
  '*',
  '💥',
  'n'.repeat(3_000),
  0,
  -1,
  1.5,
];

/** Well-formed but odd Socket.IO packets without an answer. */
export const oddPackets = [
  '2',
  '2[5]',
  '2[""]',
  '2["message:send"]',
  '2["error",{"message":"not mine"}]',
  '2["__proto__",{"__proto__":{"polluted":true}}]',
  '3',
  '3[]',
  '399["an answer to no question"]',
  '3["__proto__"]',
  '0/admin,',
  '0/__proto__,{"token":"x"}',
  `2["message:send",${'['.repeat(10_000)}${']'.repeat(10_000)}]`,
  `2["message:send",${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}]`,
];

/** Packets after which the server closes the connection. Several are sent in parts. */
const malformed: (string | Uint8Array)[][] = [
  ['2['],
  ['42["x"'],
  ['2{"a":1}'],
  ['2[null]'],
  ['2[{"toString":1}]'],
  ['2["connect"]'],
  ['2["disconnect"]'],
  ['2["disconnecting"]'],
  ['2["newListener",1]'],
  ['2["removeListener",1]'],
  ['2/admin,["x"]'],
  ['0'],
  ['0{}'],
  ['1'],
  ['1{}'],
  ['3{}'],
  ['4{"message":"no"}'],
  ['9'],
  ['x'],
  [''],
  ['5["x"]'],
  ['5-["x"]'],
  ['50-["x"]'],
  ['5-1-["x"]'],
  ['599999999-'],
  ['599999999-["x"]'],
  ['51-["x",{"_placeholder":true,"num":9}]', new Uint8Array(8)],
  ['51-["x",{"_placeholder":true,"num":-1}]', new Uint8Array(8)],
  ['51-["x",{"_placeholder":true,"num":"__proto__"}]', new Uint8Array(8)],
  ['51-["x",{"_placeholder":true,"num":0}]', 'no attachment'],
  [`51-["x",${'['.repeat(20_000)}${']'.repeat(20_000)}]`, new Uint8Array(8), '2['],
  ['52-["x",{"_placeholder":true,"num":0}]', new Uint8Array(8)],
  ['61-[]', '2["x"]'],
  [new Uint8Array([0, 1, 2])],
  ['2["message:send",{"body":"' + 'x'.repeat(66_000) + '"}]'],
];

export function sendMalformed(socket: Socket, random: Random): void {
  for (const part of random.pick(malformed))
    socket.io.engine.write(part instanceof Uint8Array ? Buffer.from(part) : part);
}
