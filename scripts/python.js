import { spawnSync } from 'node:child_process';

/** Debian installs the Socket.IO client only for its own Python, which might not be first on the PATH. */
export function findPython() {
  return ['python3', '/usr/bin/python3'].find((python) => {
    const { status } = spawnSync(python, ['-c', 'import socketio, websocket'], { stdio: 'ignore' });
    return status === 0;
  });
}
