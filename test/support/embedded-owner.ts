/** A separate process that starts the embedded PostgreSQL, prints its address, and stays until it is killed. */
import { startEmbedded } from '../../server/database/embedded.ts';

const [directory = ''] = process.argv.slice(2);
const embedded = await startEmbedded(directory);
process.stdout.write(`${JSON.stringify(embedded.connection)}\n`);
process.once('SIGTERM', () => {
  void embedded.stop();
});
