import type { Server } from 'node:net'

/** Ends a fake server with all its connections, also those that wait for an answer which it never gives. */
export const closing = (server: Server & { closeAllConnections(): void }) => (): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
