import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import {
  advance,
  CNGN_SEED,
  CNGN_STEPS,
  cngnBodies,
  connected,
  expectConsistent,
  type Merchant,
  newMerchant,
  pause,
  startProcess,
  startService,
} from '#testing'
import { type Snapshot, snapshot } from '../test/books.ts'
import { enabled } from '../test/money.ts'
import { random } from '../test/random.ts'
import { compareTreasuries } from './money/treasury.ts'

const CLIENTS = 16
const KILLS = CNGN_STEPS > 20 ? 3 : 1
const PATIENCE_MS = 60_000 + CLIENTS * CNGN_STEPS * 200

const ACCOUNTS = ['0123456789', '9876543210', '0000000000', '0000000001', '0000000002']
const WALLETS = [cngnBodies.withdrawals.address, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed']

/** One request, as any merchant may make it: repeated under its key now and then, and never more than refused. */
async function request(merchant: Merchant, dice: ReturnType<typeof random>, line: string, body: object) {
  const call = () => merchant.call(`POST /v1/${line}`, { body, key })
  const key = newId()
  let answer = await call()
  if (dice.chance(0.3)) {
    const again = await Promise.all([call(), call()])
    answer = again.find(({ status }) => status === 201) ?? answer
    const ids = [answer, ...again].filter(({ status }) => status === 201).map((each) => each.text)
    expect(new Set(ids).size, line).toBeLessThanOrEqual(1)
  }
  expect([201, 409, 422, 503], `${line} ${answer.text}`).toContain(answer.status)
  if (answer.status === 422) expect(answer.body.message, answer.text).toBe('Insufficient cNGN balance')
  return answer.status === 201 ? answer.body.data : undefined
}

/** What one client does next. */
async function act(merchant: Merchant, customerId: string, dice: ReturnType<typeof random>): Promise<void> {
  const send = (line: string, body: object) => request(merchant, dice, line, body)
  const own = { customerId, metadata: {} }
  const arrive = async (created: { id: string } | undefined, kind: string, what: string, times: number) => {
    for (let time = 0; created && time < times; time++)
      await send(`sandbox/cngn/${kind}/${created.id}/${what}`, dice.chance(0.5) ? {} : { amount: dice.amount(1, 300) })
  }
  switch (
    dice.pick(['transfer', 'payin', 'deposit', 'in', 'out', 'withdrawal', 'payout', 'payout', 'advance'] as const)
  ) {
    case 'transfer':
      return void (await send(`sandbox/cngn/customers/${customerId}/bank-transfers`, { amount: dice.amount(1, 500) }))
    case 'payin':
      return arrive(
        await send('cngn/payins', { ...own, amount: dice.amount(100, 500) }),
        'payins',
        'payments',
        dice.whole(0, 2),
      )
    case 'deposit':
      return arrive(
        await send('cngn/deposits', { ...own, networkKey: 'base' }),
        'deposits',
        'deposits',
        dice.whole(0, 3),
      )
    case 'in': {
      const body = { ...own, ...cngnBodies.converts, amount: `${dice.whole(1, 3)}` }
      return arrive(await send('cngn/converts', body), 'converts', 'deposits', dice.whole(0, 2))
    }
    case 'out': {
      const body = {
        ...own,
        fromCurrency: 'cNGN',
        toCurrency: 'USDC',
        networkKey: 'base',
        destinationAddress: dice.pick(WALLETS),
      }
      return void (await send('cngn/converts', { ...body, amount: dice.amount(100, 900) }))
    }
    case 'withdrawal':
      return void (await send('cngn/withdrawals', {
        ...own,
        amount: dice.amount(1, 600),
        networkKey: 'base',
        address: dice.pick(WALLETS),
      }))
    case 'payout': {
      const bankAccount = { accountNumber: dice.pick(ACCOUNTS), bankCode: '058' }
      return void (await send('cngn/payouts', {
        ...own,
        amount: dice.chance(0.5) ? '50' : dice.amount(1, 600),
        bankAccount,
      }))
    }
    case 'advance':
      return void (await advance(merchant, dice.whole(1, 40)))
  }
}

const difference = ({ provider, journal, leaving, arriving }: Snapshot) => provider - (journal - leaving + arriving)

test(
  `whatever 16 clients, failures and killed processes do to one customer, no balance is negative and journal and provider agree in every snapshot (CNGN_SEED=${CNGN_SEED})`,
  async () => {
    process.stdout.write(`CNGN_SEED=${CNGN_SEED}\n`)
    const service = await startService()
    const owner = await connected(service)
    const start = () => startProcess(service, { PROCESS_ROLE: 'all' })
    let worker = await start()
    let working = true
    try {
      const merchant = await newMerchant(service)
      const customerId = await enabled(service, merchant)
      const db = {
        query: async (text: string, values?: unknown[]) => ({ rows: (await owner.query(text, values)).rows }),
      }
      let snapshots = 0
      const watching = (async () => {
        while (working) {
          const seen = await snapshot(db as never, merchant.organisationId)
          expect(
            [seen.lowest >= 0n, difference(seen)],
            JSON.stringify(seen, (_key, value) => `${value}`),
          ).toEqual([true, 0n])
          snapshots++
          await pause(5)
        }
      })()
      const dice = random(CNGN_SEED)
      const failing = (async () => {
        while (working) {
          await service.runtime.pool.query(
            `insert into sandbox_faults (provider, mode, ends_at) values ('cngn', $1, now() + interval '150 milliseconds')
             on conflict (provider) do update set mode = excluded.mode, ends_at = excluded.ends_at`,
            [dice.pick(['forgets', 'down', 'forgets'])],
          )
          await pause(dice.whole(200, 700))
        }
      })()
      const killing = (async () => {
        for (let kill = 0; kill < KILLS; kill++) {
          await pause(1500)
          worker.kill()
          worker = await start()
        }
      })()
      const clients = Array.from({ length: CLIENTS }, async (_none, client) => {
        const own = random(CNGN_SEED + client + 1)
        for (let step = 0; step < CNGN_STEPS; step++) await act(merchant, customerId, own)
      })
      await Promise.race([
        Promise.all([...clients, killing]),
        watching.then(() => new Promise(() => undefined)),
        failing.then(() => new Promise(() => undefined)),
      ])

      const open = async () => {
        await advance(merchant, 1900)
        // What a killed process had claimed is due again now, not in half a minute.
        await owner.query(
          `update cngn_sends set next_send_at = now() - make_interval(secs => 1) where id in
             (select id from cngn_sends where sent_at is null and status <> 'ended' and next_send_at > now() for update skip locked)`,
        )
        await owner.query('update cngn_feeds set next_poll_at = least(next_poll_at, now())')
        const { rows } = await owner.query(
          "select kind, status, count(*)::int from cngn_transfers where status in ('pending', 'processing') group by 1, 2",
        )
        return rows
      }
      working = false
      await Promise.all([watching, failing])
      await expect.poll(open, { timeout: PATIENCE_MS, interval: 500 }).toEqual([])
      const rest = await snapshot(db as never, merchant.organisationId)
      expect(rest).toMatchObject({ leaving: 0n, arriving: 0n, provider: rest.journal })
      expect(snapshots).toBeGreaterThan(50)
      await expectOnce(owner)
      await compareTreasuries(service.runtime)
      const { rows } = await owner.query("select difference::text from cngn_treasuries where environment = 'test'")
      expect(rows).toEqual([{ difference: '0' }])
      await expectConsistent(service, 'others')
    } finally {
      working = false
      await worker.stop()
      await owner.end()
      await service.stop()
    }
  },
  PATIENCE_MS * 2,
)

/** Each object was created, moved and ended once, and each order is one movement of the provider. */
async function expectOnce(owner: Awaited<ReturnType<typeof connected>>): Promise<void> {
  const { rows: paths } = await owner.query<{ path: string }>(
    `select distinct string_agg(coalesce(e.payload::jsonb->'data'->>'previousStatus', '') || '>' || (e.payload::jsonb->'data'->>'status'), ' ' order by e.id) as path
       from events e join cngn_transfers t on t.id = e.resource_id group by t.id`,
  )
  const allowed = [
    '>pending pending>failed',
    '>pending pending>processing processing>completed',
    '>pending pending>processing processing>failed',
  ]
  for (const { path } of paths) expect(allowed).toContain(path)
  const { rows } = await owner.query(
    `select (select count(*)::int from cngn_sends where reference is not null) as sent,
            (select count(distinct reference)::int from sandbox_cngn_transactions where channel in ('payout', 'withdrawal')) as moved`,
  )
  expect(rows[0].sent).toBe(rows[0].moved)
}
