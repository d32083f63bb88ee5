import type { Cluster } from '../cluster/cluster.ts'
import { serverUser } from '../cluster/user.ts'
import { type Credentials, readCredentials, writeCredentials } from '../directory/credentials.ts'
import { deleteCluster, holdsDatabase, locateCluster, makePrivate } from '../directory/data-directory.ts'
import { lockDataDirectory } from '../directory/lock.ts'
import { freePort, isFree } from '../directory/ports.ts'
import { EmbeddedServerError, reasonOf } from '../error.ts'
import { initialise } from './initialise.ts'
import { findPostmaster, type Postmaster } from './postmaster.ts'
import { ensureServiceRole } from './role.ts'
import { shutDown } from './shutdown.ts'
import { startPostmaster } from './start.ts'
import { Supervisor } from './supervisor.ts'

export interface EmbeddedServerOptions {
  /** Settings of the server, such as `max_connections=200`. They do not apply to a running server that is taken over. */
  readonly settings?: readonly string[]
  /** How long `stop` waits for a fast shutdown before an immediate one; 30 by default. */
  readonly stopSeconds?: number
  /** How long the server waits for another service after this one has ended without stopping it; 30 by default. */
  readonly orphanSeconds?: number
  /** Called when the server has died and runs again, on the same port. Connections from before are broken. */
  onRestart?(): void
  /** Called once when the server cannot be started again or another service took it over. The caller must still call `stop`. */
  onLost?(error: EmbeddedServerError): void
}

/** A running PostgreSQL server. */
export interface EmbeddedServer {
  /** Connection URL of the owner of all objects. `database` is a database name, `postgres` by default. */
  ownerUrl(database?: string): string
  /** Connection URL of the service's role, which owns nothing. */
  serviceUrl(database?: string): string
  /** Stops the server. Transactions in progress are rolled back; nothing that was committed is lost. */
  stop(): Promise<void>
  /** Stops the server and deletes everything that it stored. For the servers of tests and benchmarks. */
  destroy(): Promise<void>
}

/**
 * Starts PostgreSQL from the binaries of the npm package in `directory`, initialises it on the first call, and keeps it
 * running until `stop`. A server that a crashed process left running there is taken over, and stops by itself where nobody does; a server that was killed recovers
 * from its log. As root it runs as another user, because PostgreSQL refuses root.
 * @throws EmbeddedServerError when it does not start, or when another running service uses the directory.
 */
export async function startEmbedded(directory: string, options: EmbeddedServerOptions = {}): Promise<EmbeddedServer> {
  const cluster = locateCluster(directory, serverUser())
  const { settings = [], stopSeconds = 30, orphanSeconds = 30 } = options
  if (!holdsDatabase(cluster)) await initialise(cluster, !settings.includes('fsync=off'))
  makePrivate(cluster)
  const credentials = readCredentials(cluster)
  const controller = new AbortController()
  const launch = { cluster, settings, signal: controller.signal }
  const postmaster = await startPostmaster(launch, () => choosePort(cluster, credentials)).catch((error: unknown) => {
    if (error instanceof EmbeddedServerError) throw error
    throw new EmbeddedServerError(`DATA_DIR: the database in ${directory} does not start (${reasonOf(error)})`)
  })

  const { ownerUrl, serviceUrl } = urlsOf(credentials, postmaster)
  const lock = await lockDataDirectory(ownerUrl(), directory).catch(async (error: unknown) => {
    if (error instanceof EmbeddedServerError) throw error
    if (!postmaster.found) await shutDown(postmaster.pid, cluster.data, stopSeconds)
    throw new EmbeddedServerError(`DATA_DIR: the database in ${directory} refuses its owner (${reasonOf(error)})`)
  })
  const supervisor = new Supervisor(
    {
      launch,
      controller,
      ownerUrl: ownerUrl(),
      stopSeconds,
      orphanSeconds,
      onRestart: options.onRestart,
      onLost: options.onLost,
    },
    postmaster,
    lock,
  )
  try {
    await ensureServiceRole(ownerUrl(), credentials.service)
  } catch (error) {
    await supervisor.stop()
    throw error
  }
  return {
    ownerUrl,
    serviceUrl,
    stop: () => supervisor.stop(),
    async destroy() {
      await supervisor.stop()
      if (supervisor.ownsDirectory) deleteCluster(cluster)
    },
  }
}

/**
 * The server of a service that runs on this directory, or else one that is started as by {@link startEmbedded} and stopped by `stop`:
 * for commands beside a service. A running one is left alone.
 * @throws EmbeddedServerError as {@link startEmbedded}
 */
export async function useEmbedded(
  directory: string,
): Promise<Pick<EmbeddedServer, 'ownerUrl' | 'serviceUrl' | 'stop'>> {
  const cluster = locateCluster(directory, serverUser())
  const running = holdsDatabase(cluster) ? findPostmaster(cluster.data) : undefined
  if (running?.status !== 'ready') return startEmbedded(directory)
  return { ...urlsOf(readCredentials(cluster), running), stop: async () => undefined }
}

function urlsOf(
  credentials: Credentials,
  { sockets, port }: Postmaster,
): Pick<EmbeddedServer, 'ownerUrl' | 'serviceUrl'> {
  const host = sockets ? encodeURIComponent(sockets) : '127.0.0.1'
  const url = (role: string, password: string, database: string) =>
    `postgres://${role}:${password}@${host}:${port}/${database}`
  return {
    ownerUrl: (database = 'postgres') => url('payments_owner', credentials.owner, database),
    serviceUrl: (database = 'postgres') => url('payments_service', credentials.service, database),
  }
}

/** The port of the previous start, so that settings of other programs stay valid, or another port if that one is in use. */
async function choosePort(cluster: Cluster, credentials: Credentials): Promise<number> {
  if (await isFree(credentials.port)) return credentials.port
  const port = await freePort()
  writeCredentials(cluster, { ...credentials, port })
  return port
}
