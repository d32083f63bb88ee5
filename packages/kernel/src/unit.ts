import { ForeignKeyConstraintViolationException, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { type Actor, system } from './actor.ts'
import type { Read, Runtime, Tenant, Work } from './context.ts'
import { THEN_COMMIT } from './database/client.ts'
import { fromKysely } from './jobs.ts'
import type { Log } from './log.ts'
import { no, type RefusalMaker } from './refusals.ts'

/** An entity manager that sees the rows of the actor's organisation and environment alone. */
export function emFor(runtime: Runtime, actor: Actor): EntityManager {
  const em = runtime.orm.em.fork()
  em.setFilterParams('tenant', { organisationId: actor.organisationId, environment: actor.environment })
  return em
}

/** What a reading verb works with. The entity manager is made when it is first asked for: many commands never read before they write. */
export function reader(runtime: Runtime, actor: Actor, log: Log = runtime.log): Read {
  let em: EntityManager | undefined
  return {
    runtime,
    actor,
    log,
    get em() {
      em ??= emFor(runtime, actor)
      return em
    },
  }
}

/** The same unit of work, from here on as the service itself acting for another organisation: what operators do. */
export function actingFor(work: Work, { organisationId, environment }: Tenant): Work {
  work.em.setFilterParams('tenant', { organisationId, environment })
  return { ...work, actor: system(organisationId, environment) }
}

/** Seals a unit with one more statement, made from its result: the gateway stores the reply with it. */
export interface Seal<T> {
  /** Must return a row (`returning`), or the unit is rolled back with `lost`. */
  statement(result: T): RawBuilder<unknown>
  lost(): Error
}

const RERUNS = 3

/**
 * One unit of work: everything `verb` writes, records, defers and enqueues commits together or not at all. Uses one
 * connection from `begin` to `commit`. Serialisation failures and deadlocks rerun it, three times at most; a lock that
 * cannot be had in time is a 503.
 */
export async function unitOfWork<T>(
  read: Omit<Read, 'em'>,
  verb: (work: Work) => Promise<T>,
  seal?: Seal<T>,
): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await once(read, verb, seal)
    } catch (error) {
      const code = sqlState(error)
      if (code === UNSEALED && seal) throw seal.lost()
      if ((code === '40001' || code === '40P01') && run < RERUNS) continue
      if (code === '55P03' || code === '40001' || code === '40P01') throw no.busy({ retryAfter: 1, cause: error })
      throw error
    }
  }
}

async function once<T>(
  read: Omit<Read, 'em'>,
  verb: (work: Work) => Promise<T>,
  seal: Seal<T> | undefined,
): Promise<T> {
  const hints: (() => void)[] = []
  const deferred = new Map<string | symbol, RawBuilder<unknown>>()
  const em = emFor(read.runtime, read.actor)
  const work: Work = {
    runtime: read.runtime,
    actor: read.actor,
    log: read.log,
    em,
    async record(change) {
      for (const recorder of read.runtime.recorders) await recorder(work, change)
    },
    defer: (statement, key: string | symbol = Symbol()) => void deferred.set(key, statement),
    async enqueue(job, data, options) {
      await read.runtime.boss.send(job.name, job.data.parse(data), {
        ...options,
        db: fromKysely(em.getKysely() as Parameters<typeof fromKysely>[0]),
      })
    },
    afterCommit: (hint) => void hints.push(hint),
  }
  await em.begin()
  let value: T
  try {
    value = await verb(work)
    if (seal || deferred.size > 0) {
      await ending([...deferred.values()], seal?.statement(value)).execute(em.getKysely())
    }
    await em.commit()
  } catch (error) {
    // A rollback that fails must not hide why: the connection is gone, and with it the transaction.
    await em.rollback().catch((cause: unknown) => read.log.warn({ err: cause }, 'rollback failed'))
    throw error
  }
  for (const hint of hints) hint()
  return value
}

/**
 * The transaction's last statement, whose commit follows at once: `with e0 as (…), e1 as (…) select …`. PostgreSQL runs
 * every data-modifying part once, whatever the end selects. A seal that returned no row divides by zero, which rolls back.
 */
function ending(
  statements: readonly RawBuilder<unknown>[],
  seal: RawBuilder<unknown> | undefined,
): RawBuilder<unknown> {
  const parts = statements.map((statement, index) => sql`${sql.raw(`e${index}`)} as (${statement})`)
  const all = seal ? [...parts, sql`seal as (${seal})`] : parts
  const last = seal ? sql`select 1 / count(*) from seal` : sql`select 1`
  return sql`${sql.raw(THEN_COMMIT)}with ${sql.join(all)} ${last}`
}

const UNSEALED = '22012'

/** PostgreSQL's error code behind an error of the driver or the ORM, if there is one. */
export function sqlState(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause ?? (at as { previous?: unknown }).previous) {
    const code = (at as { code?: unknown }).code
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code
  }
  return undefined
}

/** Runs a write and turns the violation of a named constraint into the refusal whose row names it. */
export async function refusing<T>(rows: readonly RefusalMaker[], write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (
      error instanceof UniqueConstraintViolationException ||
      error instanceof ForeignKeyConstraintViolationException
    ) {
      const constraint = (error as { constraint?: string }).constraint
      const row = rows.find((candidate) => candidate.constraint === constraint)
      if (row) throw row({ cause: error })
    }
    throw error
  }
}

/** The few words of `pg` that plain SQL needs: a pool has them, and so has an entity manager through {@link sqlOf}. */
export interface SqlExecutor {
  query<R extends object>(text: string, values?: unknown[]): Promise<{ rows: R[] }>
}

/** Plain SQL on the entity manager's connection, inside its transaction if it has one. */
export const sqlOf = (em: EntityManager): SqlExecutor => ({
  async query<R extends object>(text: string, values: unknown[] = []) {
    const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, values))
    return { rows: rows as R[] }
  },
})
