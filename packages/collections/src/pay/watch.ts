import { joinMerchant } from '@payments/accounts'
import { anonymous, type Environment, isId } from '@payments/kernel'
import { queryContext, type Runtime } from '@payments/platform'
import { errors } from '../errors.ts'
import { payPage } from '../payer/payer.ts'

/** How often watched pages are compared with the database: a payment shows on all of them within a second. */
const POLL_MS = 400
/** A `ping` is sent so often, so that neither proxies nor the server take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000

/** A watched page: the present state, shared by all of its watchers. */
export interface WatchedPage {
  readonly organisationId: string
  readonly environment: Environment
  /** Id of the present event: rises with each change. */
  readonly version: string
  /** The data of the page as JSON, without the time at which it is sent; undefined when it can no longer be shown. */
  readonly text: string | undefined
  /** Resolves at the next change or heartbeat. */
  readonly next: Promise<void>
}

interface Entry {
  page: WatchedPage
  wake: () => void
  watchers: number
}

interface VersionRow {
  readonly id: string
  readonly version: string
  readonly organisation_id: string
  readonly environment: Environment
}

/** A merchant that is suspended changes its pages too, and what is withdrawn the pages of its sessions. */
const version = (withdrawn: string) =>
  `(floor(extract(epoch from c.updated_at) * 1000) * 4 + (${withdrawn})::int * 2 + (m.suspended_at is not null)::int)::text`
const VERSIONS = `
  select c.id, ${version('false')} as version, c.organisation_id, c.environment from collections c ${joinMerchant('m', 'c')} where c.id = any($1)
  union all
  select c.id, ${version("l.status = 'void'")}, c.organisation_id, c.environment from checkout_sessions c
    join collections l on l.id = c.parent_id ${joinMerchant('m', 'c')} where c.id = any($1)`

/**
 * Watches pages for the event streams of one process. However many watch, one statement per interval reads the versions of all
 * watched pages, and a page that changed is read once for all of its watchers. Without watchers nothing runs.
 */
export class PageWatch {
  readonly #runtime: Runtime
  readonly #entries = new Map<string, Promise<Entry>>()
  readonly #open = new Map<string, Entry>()
  #timer: NodeJS.Timeout | undefined
  #heartbeat = Date.now()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Begins to watch a page. Each call is followed by one of {@link leave}. @throws collection_not_found 404 */
  async enter(id: string): Promise<WatchedPage> {
    const loading = this.#entries.get(id) ?? this.#load(id)
    this.#entries.set(id, loading)
    try {
      const entry = await loading
      entry.watchers++
      this.#start()
      return entry.page
    } catch (error) {
      this.#entries.delete(id)
      throw error
    }
  }

  /** The present state of a page that is being watched. */
  current(id: string): WatchedPage | undefined {
    return this.#open.get(id)?.page
  }

  leave(id: string): void {
    const entry = this.#open.get(id)
    if (!entry || --entry.watchers > 0) return
    this.#open.delete(id)
    this.#entries.delete(id)
    if (this.#open.size === 0) this.#stop()
  }

  async #load(id: string): Promise<Entry> {
    if (!isId(id)) throw errors.collection_not_found()
    // The version first: of a change in between, the text is then newer than the version, and is read once more.
    const { rows } = await this.#runtime.pool.query<VersionRow>(VERSIONS, [[id]])
    // Without a credential, so that the text is the same for all. It also finds that there is no such page.
    const text = await this.#read(id)
    const [row] = rows
    if (!row) throw new Error(`The page ${id} is gone`)
    const entry = withNext({
      version: row.version,
      text,
      organisationId: row.organisation_id,
      environment: row.environment,
    })
    this.#open.set(id, entry)
    return entry
  }

  #read = async (id: string): Promise<string> => {
    const { serverTime: _, ...page } = await payPage(queryContext(this.#runtime, anonymous), id)
    return JSON.stringify(page)
  }

  #start(): void {
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS).unref()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #polling = false
  async #poll(): Promise<void> {
    if (this.#polling) return
    this.#polling = true
    try {
      const { rows } = await this.#runtime.pool.query<VersionRow>(VERSIONS, [[...this.#open.keys()]])
      for (const row of rows) {
        const entry = this.#open.get(row.id)
        if (!entry || entry.page.version === row.version) continue
        const text = await this.#read(row.id).catch(() => undefined)
        announce(entry, { ...entry.page, version: row.version, text })
      }
    } catch (error) {
      if (!this.#runtime.database.report(error)) this.#runtime.log.warn({ err: error }, 'page watch failed')
    } finally {
      this.#polling = false
    }
    if (Date.now() - this.#heartbeat < HEARTBEAT_MS) return
    this.#heartbeat = Date.now()
    for (const entry of this.#open.values()) announce(entry, entry.page)
  }
}

function withNext(page: Omit<WatchedPage, 'next'>): Entry {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { page: { ...page, next: promise }, wake: resolve, watchers: 0 }
}

/** Replaces the state of a page and wakes its watchers. */
function announce(entry: Entry, page: Omit<WatchedPage, 'next'>): void {
  const { wake } = entry
  const fresh = withNext(page)
  entry.page = fresh.page
  entry.wake = fresh.wake
  wake()
}
