import { newId } from '@payments/kernel'
import { describe, expect, test } from 'vitest'
import { connected, newMerchant, useService } from '#testing'
import { receiptMachine, sendMachine } from '../states.ts'

// Orders and receipts are no resources with events: here the database is held against their tables of states.

const service = useService()

describe.each([
  ['cngn_sends', sendMachine],
  ['cngn_receipts', receiptMachine],
] as const)('the database and the code agree on %s:', (table, machine) => {
  const constraint = async (name: string) =>
    (
      await service.runtime.pool.query<{ text: string }>(
        'select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = $1::regclass and conname = $2',
        [table, `${table}_${name}`],
      )
    ).rows[0]?.text ?? ''

  test('the moves that a row can make', async () => {
    const { rows } = await service.runtime.pool.query<{ args: string }>(
      "select encode(tgargs, 'escape') as args from pg_trigger where tgrelid = $1::regclass and tgname = $2",
      [table, `${table}_status_moves`],
    )
    expect(rows[0]?.args.split('\\000').filter(Boolean).sort()).toEqual([...machine.edges])
  })

  test('the states, and the columns that each needs', async () => {
    const known = [...(await constraint('status_known')).matchAll(/'([a-z_]+)'/g)].map((match) => match[1])
    expect(known.sort()).toEqual(Object.keys(machine.states).sort())
    const needs = [...(await constraint('status_needs')).matchAll(/status <> '(\w+)'::text\) OR \((\w+) IS NOT NULL/g)]
    const declared: readonly [string, { readonly needs?: readonly string[] }][] = Object.entries(machine.states)
    expect(needs.map(([, state, column]) => `${state} ${column}`).sort()).toEqual(
      declared.flatMap(([state, { needs: columns = [] }]) => columns.map((column) => `${state} ${column}`)).sort(),
    )
  })
})

/** An order as a process of the last release inserts it, and what its statements make of it. */
async function orderOf() {
  const { organisationId } = await newMerchant(service)
  const owner = await connected(service)
  const id = newId()
  await owner.query(
    `insert into cngn_sends (id, organisation_id, environment, kind, account, fingerprint, attempts, next_send_at, ended, delivery_seconds, created_at)
     values ($1::uuid, $2::uuid, 'test', 'payout', $2::text, $1::text, 0, now(), false, 2, now())`,
    [id, organisationId],
  )
  const read = async () => {
    const { rows } = await owner.query('select status, ended from cngn_sends where id = $1', [id])
    return rows[0] as { status: string; ended: boolean }
  }
  return {
    read,
    end: () => owner.end(),
    /** Runs an update, and says in which state the order is then. */
    async after(set: string) {
      await owner.query(`update cngn_sends set ${set} where id = $1`, [id])
      return (await read()).status
    },
  }
}

test('what a process of the last release writes brings an order into the state that it means', async () => {
  const { after, read, end } = await orderOf()
  try {
    expect(await read()).toEqual({ status: 'queued', ended: false })
    expect(await after("next_send_at = now() + interval '30 seconds'")).toBe('queued')
    expect(await after('sent_at = clock_timestamp(), attempts = 1, error = null, absent_since = null')).toBe('claimed')
    expect(await after("error = 'cngn_provider_unavailable'")).toBe('unresolved')
    expect(await after('absent_since = now()')).toBe('unresolved')
    expect(await after('sent_at = null, absent_since = null, next_send_at = now()')).toBe('queued')
    expect(await after('sent_at = clock_timestamp(), error = null')).toBe('claimed')
    expect(await after("reference = 'R1', matched = true, error = null")).toBe('accepted')
    expect(await after('reference = null, matched = false')).toBe('unresolved')
    expect(await after("reference = 'R2'")).toBe('accepted')
    expect(await after('next_delivery_at = now(), next_check_at = null')).toBe('delivering')
    expect(await after('ended = true, next_delivery_at = null')).toBe('ended')
    expect(await read()).toEqual({ status: 'ended', ended: true })
  } finally {
    await end()
  }
})

test('a process of the last release sends no order that is held', async () => {
  const { after, read, end } = await orderOf()
  try {
    expect(await after("status = 'held', error = 'organisation_suspended'")).toBe('held')
    await expect(after('sent_at = clock_timestamp(), error = null')).rejects.toThrow('is held')
    expect(await read()).toEqual({ status: 'held', ended: false })
    expect(await after("status = 'ended'")).toBe('ended')
    expect(await read()).toEqual({ status: 'ended', ended: true })
  } finally {
    await end()
  }
})
