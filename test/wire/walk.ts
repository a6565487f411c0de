import { setTimeout as sleep } from 'node:timers/promises';
import { timelineRoom } from '../../shared/rooms.ts';
import { openBotSocket, type Person } from '../support/person.ts';
import type { WireStage } from './stage.ts';

export interface WalkPlace {
  serverId: string;
  channelId: string;
}

export async function walkAsBot(
  { app, recorder, does, connects }: WireStage,
  ann: Person,
): Promise<WalkPlace> {
  const { server } = await does(ann, 'server:create', { name: 'Garden' });
  const { id: serverId, defaultChannelId: channelId } = server;
  const { bot, token } = await does(ann, 'bot:create', { name: 'Echo', scopes: ['send'] });
  await does(ann, 'bot:add', { botId: bot.id, serverId });
  await does(ann, 'server:open', { serverId });
  const comes = () => connects('Echo', token);
  // Presence is sent once a second: after this wait, the next one is not about Ann herself.
  await sleep(1_200);

  recorder.chapter = 'connect';
  let echo = await recorder.shows('Ann', 'presence', comes);
  recorder.chapter = 'enter';
  await does(echo, 'server:open', { serverId });
  const entered = await does(echo, 'channel:join', { channelId });
  recorder.chapter = 'send';
  await does(echo, 'message:send', {
    timelineId: channelId,
    body: 'Good morning!',
    id: '019b7c4e-5d00-7a10-8c55-3f1e9a7d2b64',
  });
  recorder.chapter = 'hear';
  await does(ann, 'message:send', { timelineId: channelId, body: 'Morning, Echo.' });
  recorder.chapter = 'refused';
  await echo.expectError('server:delete', { serverId });
  await recorder.quiet();
  recorder.chapter = 'ping';
  // The server itself would ping only after 25 seconds.
  for (const { conn } of app.node.io.sockets.sockets.values())
    (conn as unknown as Pinged).sendPacket('ping');
  await recorder.quiet();
  recorder.chapter = undefined;
  echo.close();
  await does(ann, 'message:send', { timelineId: channelId, body: 'Are you there?' });

  recorder.chapter = 'back';
  echo = await comes();
  recorder.chapter = 'sync';
  const version = ('version' in entered ? entered.version : 0) + 2;
  const rooms = { [timelineRoom(channelId)]: version };
  await does(echo, 'sync', { epoch: echo.ready.epoch, rooms });
  recorder.chapter = 'end';
  await recorder.shows('Echo', 'closing', () => does(ann, 'bot:rotate', { botId: bot.id }));
  recorder.chapter = 'turned away';
  const late = recorder.tap('Echo', openBotSocket(app.url, token));
  await new Promise((resolve) => late.once('connect_error', resolve));
  recorder.chapter = undefined;
  return { serverId, channelId };
}

interface Pinged {
  sendPacket(type: 'ping'): void;
}
