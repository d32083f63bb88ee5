import type { Client } from 'pg'
import { lockDataDirectory } from '../directory/lock.ts'
import { DirectoryInUseError, EmbeddedServerError, reasonOf } from '../error.ts'
import { guard } from './guard.ts'
import type { Launch } from './launch.ts'
import { isPostmaster, type Postmaster } from './postmaster.ts'
import { shutDown } from './shutdown.ts'
import { startPostmaster } from './start.ts'

/** The lock's connection ends at once when the server dies; the interval detects all other failures. */
const CHECK_MS = 250
/** A server that dies this often within this time is not restarted again. */
const DEATHS = 5
const DEATHS_SECONDS = 30

export interface SupervisorOptions {
  readonly launch: Launch
  readonly controller: AbortController
  readonly ownerUrl: string
  readonly stopSeconds: number
  readonly orphanSeconds: number
  onRestart?: (() => void) | undefined
  onLost?: ((error: EmbeddedServerError) => void) | undefined
}

/** Supervises a running server whose lock this process holds: restarts it when it dies, and takes the lock again when it is lost. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #timer: NodeJS.Timeout
  #postmaster: Postmaster
  #endGuard: () => void
  #lock: Client
  #locked = false
  #inUseByOther = false
  #deaths: number[] = []
  #recovery: Promise<void> | undefined
  #stop: Promise<void> | undefined

  constructor(options: SupervisorOptions, postmaster: Postmaster, lock: Client) {
    this.#options = options
    this.#postmaster = postmaster
    this.#endGuard = this.#guard()
    this.#lock = lock
    this.#watch(lock)
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  /** False when another service has taken over the data directory: then nothing in it may be changed. */
  get ownsDirectory(): boolean {
    return !this.#inUseByOther
  }

  /** Stops the server, also during a restart. No process remains. */
  stop(): Promise<void> {
    this.#stop ??= this.#shutDown()
    return this.#stop
  }

  async #shutDown(): Promise<void> {
    this.#end()
    await this.#recovery
    const { cluster } = this.#options.launch
    if (this.ownsDirectory) await shutDown(this.#postmaster.pid, cluster.data, this.#options.stopSeconds)
    this.#endGuard()
    await this.#lock.end().catch(() => undefined)
  }

  #end(): void {
    clearInterval(this.#timer)
    this.#options.controller.abort()
  }

  #watch(lock: Client): void {
    this.#lock = lock
    this.#locked = true
    lock.once('end', () => {
      if (this.#lock === lock) this.#locked = false
      this.#check()
    })
  }

  #guard(): () => void {
    const { launch, orphanSeconds } = this.#options
    return guard(launch.cluster, this.#postmaster.pid, orphanSeconds)
  }

  #isAlive(): boolean {
    return isPostmaster(this.#postmaster.pid, this.#options.launch.cluster.data)
  }

  #check(): void {
    if (this.#recovery || this.#options.launch.signal.aborted || (this.#locked && this.#isAlive())) return
    this.#recovery = this.#recover().finally(() => {
      this.#recovery = undefined
    })
  }

  /** Returns when the server runs and is locked, when it must stop, or when it is lost. */
  async #recover(): Promise<void> {
    const { launch, onRestart, onLost } = this.#options
    let restarted = false
    try {
      do {
        if (!this.#isAlive()) {
          await this.#restart()
          restarted = true
        }
      } while (!(await this.#lockAgain()))
      if (restarted) onRestart?.()
    } catch (error) {
      this.#inUseByOther = error instanceof DirectoryInUseError
      if (launch.signal.aborted) return
      this.#end()
      onLost?.(error instanceof EmbeddedServerError ? error : this.#lost(reasonOf(error)))
    }
  }

  async #restart(): Promise<void> {
    const now = Date.now()
    this.#deaths = [...this.#deaths.filter((time) => now - time < DEATHS_SECONDS * 1000), now]
    if (this.#deaths.length >= DEATHS) throw this.#lost(`it stopped ${DEATHS} times within ${DEATHS_SECONDS} s`)
    const { port } = this.#postmaster
    const { launch } = this.#options
    this.#postmaster = await startPostmaster(launch, async () => port)
    if (this.#postmaster.port !== port) throw new DirectoryInUseError(launch.cluster.directory)
    this.#endGuard()
    this.#endGuard = this.#guard()
  }

  /** False when the server died in the meantime. */
  async #lockAgain(): Promise<boolean> {
    const { launch, ownerUrl } = this.#options
    const mayRetry = () => this.#isAlive() && !launch.signal.aborted
    try {
      this.#watch(await lockDataDirectory(ownerUrl, launch.cluster.directory, mayRetry))
      return true
    } catch (error) {
      if (error instanceof DirectoryInUseError || launch.signal.aborted || this.#isAlive()) throw error
      return false
    }
  }

  #lost(reason: string): EmbeddedServerError {
    const { directory } = this.#options.launch.cluster
    return new EmbeddedServerError(
      `DATA_DIR: the database in ${directory} stopped and does not start again (${reason})`,
    )
  }
}
