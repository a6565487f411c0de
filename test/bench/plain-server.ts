import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { someFile } from './transfers.ts';

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());

const file = someFile();
const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(file);
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => response.end(String(Buffer.concat(pieces).length)));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
