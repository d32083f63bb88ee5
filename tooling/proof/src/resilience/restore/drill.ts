import { setTimeout as sleep } from 'node:timers/promises'
import { checkLedger } from '@payments/ledger'
import {
  call,
  dataOf,
  enabledCustomer,
  newMerchant,
  OVER_TLS,
  productionSettings,
  random as randomOf,
  retried,
  rows,
  runService,
  type ServiceProcess,
  type StandDatabase,
  signedIn,
  startProcesses,
  trustedBy,
  trustedLoopback,
} from '@payments/stand'
import type { ProofReport } from '../../proof.ts'
import { settingsOfCngn } from '../../providers/all-fakes.ts'
import { cngnDifferences } from '../../providers/books/cngn-books.ts'
import { startCngn } from '../../providers/fakes.ts'
import { maintain, refusesToServe } from './commands.ts'

const PATIENCE_MS = 120_000
/** How long operators leave the service alone. */
const ALONE_MS = 12_000

/** A payout that a merchant asked for: the same request every time. */
interface Request {
  readonly key: string
  readonly body: { readonly customerId: string; readonly amount: string; readonly bankAccount: object }
}

/** What the fake shows within a second is minutes in reality: lists are read and claims are old. */
const HURRY = [
  "update cngn_feeds set next_poll_at = least(next_poll_at, now()) where environment = 'live'",
  "update cngn_sends set next_send_at = now() - make_interval(secs => 1) where id in (select id from cngn_sends where sent_at is null and status <> 'ended' for update skip locked)",
  // Calls of processes that were stopped are over, and what the fake was asked for it has carried out.
  `update cngn_sends set sent_at = sent_at - interval '121 seconds'
    where id in (select id from cngn_sends where status in ('claimed', 'unresolved') and sent_at between now() - interval '120 seconds' and now() - interval '20 seconds'
                 for update skip locked)`,
  `update cngn_sends set sent_at = sent_at - interval '301 seconds', maybe_sent_until = maybe_sent_until - interval '301 seconds',
          absent_since = absent_since - interval '121 seconds'
    where id in (select id from cngn_sends where reference is null and absent_since between now() - interval '100 seconds' and now() - interval '3 seconds'
                 for update skip locked)`,
]

/** A database that can be brought back to the moment of `backUp`. No process is connected then. */
export interface DrillDatabase extends Pick<StandDatabase, 'dataDir' | 'ownerUrl' | 'serviceUrl' | 'pool'> {
  backUp(): Promise<unknown>
  restore(): Promise<unknown>
}

interface DrillOptions {
  readonly rounds: number
  readonly seed: number
  log(line: string): void
}

/**
 * A database is restored to a point before payouts were sent. Some were waiting then, some are forgotten altogether, many look the same.
 * The service refuses to serve it, `payments reconcile` is killed at any moment and run again, merchants repeat every request with its
 * idempotency key, and an operator settles what is held with what the provider's list shows. Afterwards the bank was paid once for each
 * request, every payout has ended, the treasury agrees with the journal, and the ledger is in order.
 */
export async function drill(database: DrillDatabase, { rounds, seed, log }: DrillOptions): Promise<ProofReport> {
  const random = randomOf(seed)
  const { tls, authority } = await trustedLoopback()
  const cngn = await startCngn({ tls })
  const settings = productionSettings(database, {
    SWAP_SEED: Buffer.alloc(32, 7).toString('base64'),
    ...settingsOfCngn({ cngn }),
    CNGN_REQUESTS_PER_MINUTE: '6000',
  })
  const env = { ...settings, ...trustedBy(database.dataDir, authority) }
  const serve = () => runService(database, { settings, live: 'configured', logLevel: 'fatal' })
  let own = await serve()
  const processes = await startProcesses({ gateways: 0, workers: 1 }, { settings: env })
  const [worker] = processes.workers as [ServiceProcess]
  const findings: string[] = []
  const figures = { rounds, requests: 0, waiting: 0, forgotten: 0, held: 0, reconcileKills: 0, paid: 0 }
  const hurry = async () => {
    for (const statement of HURRY) await rows(database, statement)
    await cngn.settle()
    await sleep(200)
  }
  const until = async (what: string, done: () => Promise<boolean> | boolean) => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await hurry()) if (await done()) return
    findings.push(`${what}: not within ${PATIENCE_MS / 1000} s`)
  }
  const redeemed = () =>
    cngn.transactions.filter(({ trx_type, status }) => trx_type === 'redeem' && status !== 'failed')
  try {
    await worker.ready()
    const merchant = await newMerchant(own, { environment: 'live' })
    const post = (path: string, given: { body: unknown; key?: string }) => {
      const end = Date.now() + PATIENCE_MS
      return retried(() => own.url, `POST ${path}`, {
        ...given,
        token: merchant.key,
        headers: OVER_TLS,
        deadline: () => end,
      })
    }
    const customerId = await enabledCustomer(own.runtime, merchant.organisationId, 0n, 'live')
    const { reference } = await dataOf('payin', post('/v1/cngn/payins', { body: { customerId, amount: '1000000' } }))
    await cngn.pay(reference, 1_000_000_000_000n)
    await until('The customer has cNGN', async () => (await ended(database)) === 1)
    const request = (): Request => ({
      key: `payout ${figures.requests++}`,
      // Few amounts and accounts: many requests look the same.
      body: {
        customerId,
        amount: `${10 + random.below(2)}`,
        bankAccount: { accountNumber: `01234000${10 + random.below(3)}`, bankCode: '058' },
      },
    })
    const ask = async (requests: readonly Request[]) => {
      for (const each of requests) await dataOf('payout', post('/v1/cngn/payouts', each))
      return requests
    }
    const several = (most: number) => Array.from({ length: 1 + random.below(most) }, request)
    for (let round = 1; round <= rounds; round++) {
      await worker.stop()
      const waiting = await ask(several(6))
      await own.stop()
      await database.backUp()
      own = await serve()
      worker.start()
      const forgotten = await ask(several(6))
      await until('Every payout was sent', () => redeemed().length === figures.requests)
      await worker.stop()
      await own.stop()
      await database.restore()
      const refusal = await refusesToServe(env)
      if (refusal) findings.push(refusal)
      figures.reconcileKills += await maintain(env, random)
      own = await serve()
      worker.start()
      // Every request again, also of those that the database knows.
      await ask([...waiting, ...forgotten])
      const later = await ask(several(3))
      const token = (await signedIn(own.runtime, { role: 'operator' })).accessToken
      const settle = (id: string, body: object) =>
        call(own, `POST /v1/admin/ops/cngn/transfers/${id}/settle`, { token, key: null, headers: OVER_TLS, body })
      const asked = Date.now()
      await until('Every payout has ended', async () => {
        // First the service finds what it can by itself.
        for (const { id, amount, account } of Date.now() < asked + ALONE_MS ? [] : await held(database)) {
          const taken = await references(database)
          const shown = redeemed().find(
            (one) =>
              // One that is under way may still fail: the operator waits for its end.
              one.status === 'success' &&
              !taken.has(one.trx_ref) &&
              Number(one.amount) === amount &&
              String(one.receiver).split(':')[1] === account,
          )
          if (!shown) continue
          const evidence = { reference: shown.trx_ref, evidence: 'The list shows it', reason: 'After a restore' }
          const settled = await settle(id, { outcome: 'completed', ...evidence })
          // While a call for it may be answered, the operator is told to try again.
          if (settled.status === 409 && settled.body.message.startsWith('The provider may still answer')) continue
          await dataOf('settle', settled)
          figures.held++
        }
        return (await ended(database)) === 1 + figures.requests
      })
      figures.waiting += waiting.length
      figures.forgotten += forgotten.length
      log(`round ${round}: ${waiting.length} waiting, ${forgotten.length} forgotten, ${later.length} later`)
      for (const { what } of await cngnDifferences(cngn, database)) findings.push(`round ${round}: ${what}`)
      if (redeemed().length !== figures.requests)
        findings.push(`round ${round}: ${redeemed().length} payments for ${figures.requests} requests`)
      const ledger = await checkLedger(own.runtime)
      for (const { id, message } of ledger.findings) findings.push(`round ${round}: ledger: ${id}: ${message}`)
    }
    figures.paid = redeemed().length
    findings.push(...processes.errors())
  } finally {
    await worker.stop()
    await own.stop()
    await cngn.close()
  }
  return { findings, figures }
}

type Database = Parameters<typeof rows>[0]

async function ended(database: Database): Promise<number> {
  const [found] = await rows<{ n: number }>(
    database,
    "select count(*)::int as n from cngn_transfers where status = 'completed'",
  )
  return found?.n ?? 0
}

/** Orders without an answer, which operators are shown, with amounts and accounts as the provider writes them. */
async function held(database: Database) {
  const found = await rows<{ id: string; units: string; account: string }>(
    database,
    `select t.id, t.amount::text as units, t.account_number as account from cngn_transfers t join cngn_sends s on s.id = t.id
      where t.status = 'processing' and s.sent_at is not null and s.reference is null and s.status <> 'ended' order by t.created_at`,
  )
  return found.map(({ id, units, account }) => ({ id, amount: Number(units) / 1e6, account }))
}

async function references(database: Database): Promise<ReadonlySet<string>> {
  const found = await rows<{ reference: string }>(
    database,
    'select reference from cngn_sends where reference is not null',
  )
  return new Set(found.map(({ reference }) => reference))
}
