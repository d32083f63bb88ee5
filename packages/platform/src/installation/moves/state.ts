import type { Client } from 'pg'
import { sqlState } from '../../database/errors.ts'
import type { Move } from './rows.ts'

/** One connection, so that statements between `begin` and `commit` are one transaction. */
export type Connection = Pick<Client, 'query'>

/** A move that has not ended, as one of the two cells knows it. */
export interface MoveRow extends Move {
  readonly direction: 'out' | 'in'
  readonly cell: number
  readonly state: 'packed' | 'complete' | 'copied' | 'arrived' | 'refused'
  readonly createdAt: string
}

/** The move of an organisation that is under way; undefined: none is. */
export async function openMove(db: Connection, organisationId: string): Promise<MoveRow | undefined> {
  const { rows } = await db.query<MoveRow>(
    `select id, organisation_id as "organisationId", direction, cell, state, created_at::text as "createdAt"
       from organisation_moves where organisation_id = $1 and ended_at is null`,
    [organisationId],
  )
  return rows[0]
}

/** SQLSTATE: a deadlock, a lock that was not available in time, a row that changed after the snapshot. Workers write the same rows until they are taken out. */
const AGAIN = new Set(['40P01', '55P03', '40001'])
const ATTEMPTS = 20

/**
 * Runs statements of a connection in one transaction, without the limits of time that the role has for requests, and again where they met
 * those of others.
 */
export async function inTransaction<T>(db: Connection, work: () => Promise<T>, begin = 'begin'): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await db.query(begin)
    try {
      await db.query('set local statement_timeout = 0')
      await db.query('set local idle_in_transaction_session_timeout = 0')
      await db.query("set local lock_timeout = '10s'")
      const result = await work()
      await db.query('commit')
      return result
    } catch (error) {
      await db.query('rollback').catch(() => undefined)
      if (!AGAIN.has(sqlState(error) ?? '') || attempt === ATTEMPTS) throw error
    }
  }
}

/** {@link inTransaction} whose statements all see the same rows: what is written meanwhile is taken with its counters or not at all. */
export const inOneSnapshot = <T>(db: Connection, work: () => Promise<T>): Promise<T> =>
  inTransaction(db, work, 'begin isolation level repeatable read')
