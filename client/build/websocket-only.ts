import type { Plugin } from 'vite';

/** Parley uses WebSocket only: drops the other transports of engine.io and their base64 code, 3 kB. */
export const webSocketOnly: Plugin = {
  name: 'websocket only',
  load(id) {
    if (/engine\.io-client.build.esm.transports.index\.js$/.test(id))
      return "import { WS } from './websocket.js'; export const transports = { websocket: WS };";
    if (/engine\.io-parser.build.esm.contrib.base64-arraybuffer\.js$/.test(id))
      return 'export const decode = () => undefined;';
    return undefined;
  },
};
