import { bind } from '@payments/kernel'
import { type DepositReport, routes, routesErrors, routesProvider, type SandboxRoutes } from '@payments/routes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chance, newCollection, newMerchant, paySession, sized, startService, startSession } from '#testing'
import { caseOf, expectAllEnded, inWaves, linksFor, payStep, startAll } from '../test/cases.ts'
import { getSession, inOrder, poll, settle } from '../test/sessions.ts'

/** The share of what each delivery loses to fees, per thousand; and whether polls are disturbed. */
let feePerThousand = 0n
let disturbed = false

let service: Awaited<ReturnType<typeof startService>>
let honest: SandboxRoutes | undefined
const sandbox = (): SandboxRoutes => {
  honest ??= routes.providers?.[0]?.create({ ...service.runtime, db: service.runtime.pool })[0]
    ?.provider as SandboxRoutes
  return honest
}

const withFees = (report: DepositReport): DepositReport => ({
  ...report,
  destinationAmount:
    report.destinationAmount === null
      ? null
      : report.destinationAmount - (report.destinationAmount * feePerThousand) / 1000n,
})

const before = new Map<string, readonly DepositReport[]>()

/** Timeouts, omissions, duplicates, old reports, any order. A final status that is reported is true. */
function disturb(address: string, now: readonly DepositReport[]): readonly DepositReport[] {
  if (!disturbed) return now
  if (chance(0.15)) throw routesErrors.provider_unavailable()
  const stale = before.get(address) ?? []
  before.set(address, now)
  if (chance(0.2)) return stale
  return now
    .filter(() => !chance(0.15))
    .flatMap((report) => (chance(0.2) ? [report, report] : [report]))
    .map((report) => (chance(0.15) ? { ...report, status: 'pending' as const } : report))
    .toSorted(() => Math.random() - 0.5)
}

beforeAll(async () => {
  const faulty: SandboxRoutes = {
    name: 'sandbox',
    capabilities: { reusableAddresses: true },
    callsPerMinute: 60_000,
    offers: () => sandbox().offers(),
    createDepositAddress: (input) => sandbox().createDepositAddress(input),
    simulateDeposit: (db, input) => sandbox().simulateDeposit(db, input),
    async deposits(query) {
      const { reports } = await sandbox().deposits(query)
      return { reports: disturb(query.depositAddress, reports.map(withFees)), calls: 1 }
    },
  }
  service = await startService({ live: [bind(routesProvider, 'test', faulty)] })
})
afterAll(() => service?.stop())

test('under late, repeated, missing and reordered reports each session ends right, with one transaction', {
  timeout: 120_000,
}, async () => {
  const merchant = await newMerchant(service)
  const count = sized(48, 16)
  const sessions = await startAll(service, await linksFor(merchant, count), count)
  disturbed = true
  for (const step of [0, 1]) {
    await inWaves(count, (number) => payStep(merchant, sessions[number] as (typeof sessions)[number], step))
    for (let round = 0; round < 6; round++) await settle(service, merchant)
    if (step === 1) disturbed = false
    await settle(service, merchant)
    const waiting = sessions.filter((session) => caseOf(session).steps.length > 1 && step === 0)
    // The second payment of a session follows when the first was seen.
    for (let round = 0; round < 20 && step === 0; round++) {
      const states = await Promise.all(waiting.map(({ id }) => getSession(merchant, id)))
      if (states.every(({ status }) => status === 'underpaid')) break
      await poll(service, merchant)
    }
  }
  await expectAllEnded(service, merchant, sessions)
})

test('the provider’s fees are separate: in the session, in its collection, in the receipt and in the journal', async () => {
  feePerThousand = 8n
  try {
    const merchant = await newMerchant(service)
    const { id } = await newCollection(merchant)
    const session = await startSession(service, id)
    await paySession(merchant, session.id)
    await settle(service, merchant)
    expect(await getSession(merchant, session.id)).toMatchObject({
      status: 'paid',
      receivedAmount: '25',
      deliveredAmount: '24.8',
      fees: '0.2',
    })
    expect(await getSession(merchant, id)).toMatchObject({ receivedAmount: '25' })
    const { receipt } = (await merchant.call(`GET /v1/transactions/${session.id}`)).body.data
    expect(receipt).toMatchObject({
      type: 'collection',
      origin: { network: 'ethereum', symbol: 'USDC', amount: '25', amountUsd: '25' },
      destination: { network: 'base', symbol: 'USDC', amount: '24.8' },
      fees: '0.2',
      payments: [{ amount: '25', returned: '0', delivered: '24.8', fees: '0.2', status: 'completed' }],
    })
    const { rows } = await service.runtime.pool.query<{ line: string }>(
      `select purpose || ' ' || balance as line from ledger_accounts where organisation_id = $1 and balance <> 0 order by 1`,
      [merchant.organisationId],
    )
    expect(rows.map(({ line }) => line)).toEqual(['destination 24800000', 'external -25000000', 'fees 200000'])
    await inOrder(service)
  } finally {
    feePerThousand = 0n
  }
})
