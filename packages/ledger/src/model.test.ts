import { newId, ServiceError } from '@payments/kernel'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bookOf, foundOrganisation, useService } from '#testing'
import { PlainLedger, places } from '../test/model.ts'
import { checkLedger } from './journal/check/check.ts'
import type { Posting, Source } from './journal/entries.ts'
import { capture, reserve, reverse } from './journal/holds.ts'
import { post } from './journal/post.ts'
import { accountId } from './model/accounts.ts'

/**
 * `LEDGER_MODEL=100x10000 npx vitest run packages/ledger/src/model.test.ts` runs 100 seeds of 10,000 commands;
 * `LEDGER_SEED` sets the first seed, to repeat a run.
 */
// biome-ignore lint/style/noProcessEnv: the size of a test run is not a setting of the service
const { LEDGER_MODEL = '20x200', LEDGER_SEED = '1' } = process.env
const [seeds = 20, length = 200] = LEDGER_MODEL.split('x').map(Number)

const service = useService({ settings: { LOG_LEVEL: 'info' } })

const place = fc.nat(places.length - 1)
const amount = fc.bigInt(1n, 50n)
const pick = fc.nat(1_000_000)
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('transfer' as const), from: place, to: place, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unbalanced' as const), from: place, amount }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('contradict' as const), pick, amount }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reserve' as const), amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('capture' as const), pick, amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('capture' as const), pick, amount: fc.constant(0n) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reverse' as const), pick }) },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

test(`the journal and a plain model agree after every step (${seeds} seeds × ${length} commands)`, async () => {
  for (let seed = Number(LEDGER_SEED); seed < Number(LEDGER_SEED) + seeds; seed++) {
    // fast-check prints the seed and the commands of a failure; long runs are not shrunk.
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: length, maxLength: length, size: 'max' }), run), {
      seed,
      numRuns: 1,
      endOnFailure: length > 1000,
    })
  }
  expect((await checkLedger(service.runtime)).findings).toEqual([])
}, 86_400_000)

async function run(commands: readonly Command[]): Promise<void> {
  const organisationId = await foundOrganisation(service.runtime)
  const book = bookOf(service.runtime, organisationId)
  const model = new PlainLedger()
  const names = new Map(
    places.map((key, index) => [accountId({ organisationId, environment: 'test' }, key), index] as const),
  )
  const posted = places.map(() => 0n)
  let seen = '0'

  for (const each of commands) {
    const [expected, actual] = await step(model, book, each)
    expect(actual).toBe(expected)
    const { rows } = await service.runtime.pool.query<{
      id: string
      balance: string
      moved: string
      seq: string | null
    }>(
      `select a.id, a.balance::text, coalesce(p.moved, 0)::text as moved, p.seq::text from ledger_accounts a
        left join lateral (select sum(p.amount) as moved, max(p.seq) as seq from ledger_postings p where p.account_id = a.id and p.seq > $2) p on true
        where a.organisation_id = $1`,
      [organisationId, seen],
    )
    const balances = places.map(() => 0n)
    for (const row of rows) {
      const index = names.get(row.id) ?? -1
      balances[index] = BigInt(row.balance)
      posted[index] = (posted[index] ?? 0n) + BigInt(row.moved)
      if (row.seq !== null && BigInt(row.seq) > BigInt(seen)) seen = row.seq
    }
    expect(balances).toEqual(model.balances)
    expect(posted).toEqual(balances)
    expect(balances.reduce((sum, balance) => sum + balance, 0n)).toBe(0n)
  }
}

/** Runs one command on the model and on the journal, and returns both outcomes. */
async function step(
  model: PlainLedger,
  { do: execute }: ReturnType<typeof bookOf>,
  command: Command,
): Promise<[expected: string, actual: string]> {
  const key = (index: number) => places[index % places.length] as (typeof places)[number]
  const postings = (lines: readonly [number, bigint][]): Posting[] =>
    lines.map(([index, amount]) => ({ account: key(index), amount }))
  const fresh = (): Source => ({ type: 'adjustment', id: newId() })
  const done = (command: Promise<unknown>) =>
    command.then(String, (error: unknown) => {
      if (error instanceof ServiceError) return error.code
      throw error
    })

  /** What is posted with the commit does not say whether the entry was there. */
  const quiet = (outcome: string) => (['posted', 'repeated'].includes(outcome) ? 'undefined' : outcome)

  switch (command.do) {
    case 'transfer': {
      const lines = model.pair(command.from, command.to, command.amount)
      const source = fresh()
      const draft = { source, step: 'moved', postings: postings(lines) }
      return [model.post(source, 'moved', lines), await done(execute((unit) => post(unit, draft)))]
    }
    case 'unbalanced': {
      const draft = { source: fresh(), step: 'moved', postings: postings([[command.from, command.amount]]) }
      return ['entry_unbalanced', await done(execute((unit) => post(unit, draft)))]
    }
    case 'repeat': {
      const entry = model.find(command.pick, (one) => one.step === 'moved')
      if (!entry) return ['', '']
      const draft = { source: entry.source, step: entry.step, postings: postings(entry.lines) }
      return [model.post(entry.source, entry.step, entry.lines), await done(execute((unit) => post(unit, draft)))]
    }
    case 'contradict': {
      const entry = model.find(command.pick, (one) => one.step === 'moved')
      if (!entry) return ['', '']
      const lines = entry.lines.map(([index, amount]): [number, bigint] => [index, amount * (command.amount + 1n)])
      const draft = { source: entry.source, step: entry.step, postings: postings(lines) }
      return [model.post(entry.source, entry.step, lines), await done(execute((unit) => post(unit, draft)))]
    }
    case 'reserve': {
      const source = fresh()
      const hold = { source, holder: { asset: 'USDC' as const }, amount: command.amount }
      return [quiet(model.reserve(source, command.amount)), await done(execute((unit) => reserve(unit, hold)))]
    }
    case 'capture': {
      const entry = model.find(command.pick, (one) => one.step === 'reserve')
      if (!entry) return ['', '']
      const to = postings(command.amount > 0n ? [[PlainLedger.destination, command.amount]] : [])
      return [
        quiet(model.capture(entry, command.amount)),
        await done(execute((unit) => capture(unit, { source: entry.source, to }))),
      ]
    }
    case 'reverse': {
      const entry = model.find(command.pick, () => true)
      if (!entry) return ['', '']
      const { source, step } = entry
      return [model.reverse(entry), await done(execute((unit) => reverse(unit, { source, step })))]
    }
  }
}
