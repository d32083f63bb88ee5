import { firstIdOf } from '@payments/kernel'
import { newestAuditIds, type QueryContext, type Runtime } from '@payments/platform'

/** How often the database is asked for changes, once for all streams of a process. */
const POLL_MS = 300
/** A comment is sent so often, so that neither proxies nor the server take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/**
 * Ids are made before they are committed, so that one can appear after a newer one: those of the last seconds are compared with what was
 * there before. What commits later than that is read when a screen reads again by itself.
 */
const WINDOW_MS = 5000
/** So many changes in the window are one like fewer: the number only bounds what is read. */
const MOST = 500

const CHANGES = `(select id from events where id > $1 order by id desc limit ${MOST})
       union all (${newestAuditIds('$1', MOST)})`

/** Counts the changes in all organisations, while a stream of this process is open. */
class ChangeWatch {
  readonly #runtime: Runtime
  readonly #waiting = new Set<() => void>()
  #seen: ReadonlySet<string> = new Set()
  #changedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #streams = 0
  #polling = false
  /** Grows with each poll that found something new. */
  version = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /**
   * Begins to count for one more stream.
   * @returns the version of a few seconds ago: its client may have read what it shows before the stream was open
   */
  open(): number {
    this.#streams += 1
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS).unref()
    return performance.now() - this.#changedAt < WINDOW_MS ? this.version - 1 : this.version
  }

  close(): void {
    this.#streams -= 1
    if (this.#streams > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#seen = new Set()
  }

  /** Waits until there is something newer than the version, the heartbeat is due or the signal is aborted. */
  async next(version: number, signal: AbortSignal): Promise<void> {
    if (this.version > version || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const heartbeat = setTimeout(resolve, HEARTBEAT_MS)
    const wake = () => resolve()
    signal.addEventListener('abort', wake, { once: true })
    this.#waiting.add(wake)
    try {
      await promise
    } finally {
      clearTimeout(heartbeat)
      signal.removeEventListener('abort', wake)
      this.#waiting.delete(wake)
    }
  }

  async #poll(): Promise<void> {
    if (this.#polling) return
    this.#polling = true
    try {
      const since = firstIdOf(new Date(Date.now() - WINDOW_MS))
      const { rows } = await this.#runtime.pool.query<{ id: string }>(CHANGES, [since])
      const before = this.#seen
      this.#seen = new Set(rows.map(({ id }) => id))
      if (!rows.some(({ id }) => !before.has(id))) return
      this.version += 1
      this.#changedAt = performance.now()
      for (const wake of this.#waiting) wake()
    } catch (error) {
      if (!this.#runtime.database.report(error)) this.#runtime.log.warn({ err: error }, 'change watch failed')
    } finally {
      this.#polling = false
    }
  }
}

const watches = new WeakMap<Runtime, ChangeWatch>()

function watchOf(runtime: Runtime): ChangeWatch {
  const watch = watches.get(runtime) ?? new ChangeWatch(runtime)
  watches.set(runtime, watch)
  return watch
}

/**
 * Says as server-sent events that something has happened in any organisation, or that an operator has done something: `changed`, without
 * what it was, so that nothing of an organisation is sent. A client that resumes is told at once, because it may have missed something.
 */
export async function* changeStream(
  { runtime }: QueryContext,
  signal: AbortSignal,
  lastEventId: string | undefined,
): AsyncGenerator<string> {
  const watch = watchOf(runtime)
  let version = watch.open()
  try {
    yield `id: ${version}\nretry: 2000\n\n`
    if (lastEventId !== undefined) yield changed(version)
    while (!signal.aborted) {
      await watch.next(version, signal)
      if (signal.aborted) return
      if (watch.version === version) yield `: open\n\n`
      else {
        ;({ version } = watch)
        yield changed(version)
      }
    }
  } finally {
    watch.close()
  }
}

const changed = (version: number): string => `id: ${version}\nevent: changed\ndata: {}\n\n`
