import { randomUUID } from 'node:crypto'
import type { ProofReport } from '@payments/proof'
import { enabledCustomer, median, newOrganisation, runService, samples, startDatabase } from '@payments/stand'
import { creation, sendLoad } from '../servers/load.ts'
import { LARGE, startGateway } from '../servers/servers.ts'
import { LIMITS } from './requests.ts'

const AT_ONCE = 64
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const PAYOUTS = Math.round(800 * Number(process.env.BENCH_SCALE ?? 1))
/** Of the throughput of as many organisations. */
const LEAST = 0.8
/** In minor units of cNGN: enough for every payout. */
const BALANCE = 10n ** 12n
/** One organisation may have as many operations under way as all together. */
const SETTINGS = { ...LIMITS, ORGANISATION_CONCURRENCY: '14', PROCESS_ROLE: 'gateway' }

interface Payer {
  readonly key: string
  readonly customerId: string
}

/**
 * Payouts of one organisation, 64 at once, whose accounts for fees and for money outside all of them share, in turn with those of 64
 * organisations, each with accounts of its own.
 */
export async function benchPayouts(print: (line: string) => void): Promise<ProofReport> {
  const at = await startDatabase({ settings: LARGE })
  const gateway = await startGateway(SETTINGS, at).catch(async (error: unknown) => {
    await at.close()
    throw error
  })
  try {
    const of = (some: readonly Payer[], payouts: number) => {
      const round = randomUUID()
      const send = (index: number) => payout(some[index % some.length] as Payer, `${round}-${index}`)
      return sendLoad(gateway.origin, payouts, send, undefined, AT_ONCE)
    }
    const { one, many } = await prepare(at)
    for (const some of [one, many]) await of(some, AT_ONCE * 4)
    const ratios: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const order = round % 2 === 0 ? [one, many] : [many, one]
      const rates = new Map<readonly Payer[], number>()
      for (const some of order) rates.set(some, (await of(some, PAYOUTS)).rate)
      const [ofOne, ofMany] = [rates.get(one) ?? Number.NaN, rates.get(many) ?? Number.NaN]
      print(`  one organisation ${ofOne.toFixed(0)}/s, ${AT_ONCE} organisations ${ofMany.toFixed(0)}/s`)
      ratios.push(ofOne / ofMany)
    }
    const ratio = Math.round(100 * median(ratios)) / 100
    print(`  ratio ${ratio}`)
    return {
      findings: ratio < LEAST ? [`one organisation has ${ratio} of the throughput of ${AT_ONCE}, goal ${LEAST}`] : [],
      figures: { payouts: 2 * ROUNDS * PAYOUTS, ofOneToThatOfMany: ratio },
    }
  } finally {
    await gateway.stop()
    await at.close()
  }
}

/** Customers with cNGN: 64 of one organisation, and one of each of 64 others. */
async function prepare(at: Awaited<ReturnType<typeof startDatabase>>): Promise<Record<'one' | 'many', Payer[]>> {
  const { runtime, stop } = await runService(at, { settings: { DATA_DIR: at.dataDir }, logLevel: 'fatal' })
  try {
    const { organisationId: shared, key } = await newOrganisation(runtime)
    const one: Payer[] = []
    const many: Payer[] = []
    for (let number = 0; number < AT_ONCE; number++) {
      const own = await newOrganisation(runtime)
      one.push({ key, customerId: await enabledCustomer(runtime, shared, BALANCE) })
      many.push({ key: own.key, customerId: await enabledCustomer(runtime, own.organisationId, BALANCE) })
    }
    return { one, many }
  } finally {
    await stop()
  }
}

const payout = ({ key, customerId }: Payer, unique: string) =>
  creation(key, samples.payout.path, samples.payout.body({ customerId, amount: '5.25' }), unique)
