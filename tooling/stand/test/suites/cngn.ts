import type { CallBudget, CngnProvider, Order, ProviderTransaction } from '@payments/cngn'
import { newId } from '@payments/kernel'
import { describe, expect, test } from 'vitest'

/** A budget that never runs out, for tests of providers. */
export const anyCalls: CallBudget = { take: async () => undefined, silence: async () => undefined }

/** A provider under test, with the payers' and the banks' side of it. */
export interface CngnWorld {
  readonly provider: CngnProvider
  readonly account: string
  /** Naira arrive with this narration: minor units of cNGN. */
  pay(narration: string, amount: bigint): Promise<unknown>
  /** Everything in flight comes to its end. Payouts to `refused` fail. */
  settle(): Promise<void>
  /** How many reports it takes until it has said everything; one, where each says all. */
  readonly reports?: number
}

/** An account number to which no payout succeeds. */
export const REFUSED = '0000000000'
const SINCE = new Date(Date.now() - 3_600_000)

/** A movement by an earlier and a later report. */
function merged(earlier: ProviderTransaction | undefined, later: ProviderTransaction): ProviderTransaction {
  const { amount, at, txHash } = later
  const both = {
    ...later,
    amount: amount ?? earlier?.amount ?? null,
    at: at ?? earlier?.at ?? null,
    txHash: txHash ?? earlier?.txHash ?? null,
    status: earlier && earlier.status !== 'pending' ? earlier.status : later.status,
    targets: later.targets.length >= (earlier?.targets.length ?? 0) ? later.targets : (earlier?.targets ?? []),
  }
  const partial = Boolean(later.partial) && (earlier?.partial ?? true)
  return { ...both, ...(later.partial === undefined ? {} : { partial }) }
}

/** The contract of every cNGN provider, sandbox and live. `begin` creates a separate world for one test. */
export function cngnContract(name: string, begin: () => Promise<CngnWorld>): void {
  const order = ({ account }: CngnWorld, amount: bigint, accountNumber = '0123456789'): Order => ({
    id: newId(),
    account,
    amount,
    destination: { type: 'bank', bankCode: '058', accountNumber },
  })
  /** What the provider has said of each movement in its last reports: a field that one leaves out, another has. */
  const listed = async ({ provider, account, reports = 1 }: CngnWorld): Promise<ProviderTransaction[]> => {
    const known = new Map<string, ProviderTransaction>()
    for (let report = 0; report < reports; report++) {
      const { movements, unreadable = [] } = await provider.transactions(account, SINCE, anyCalls)
      expect(unreadable).toEqual([])
      for (const each of movements) known.set(each.reference, merged(known.get(each.reference), each))
    }
    return [...known.values()]
  }
  const funded = async () => {
    const world = await begin()
    await world.pay('float', 1_000_000_000n)
    await world.settle()
    return world
  }
  const accepted = async (world: CngnWorld, sent: Order): Promise<string> => {
    const result = await world.provider.send(sent, anyCalls)
    if (result.status !== 'accepted') throw new Error(`Not accepted: ${result.status}`)
    return result.reference
  }

  describe(`${name} keeps the contract of cNGN:`, () => {
    test('its banks have codes of their own, and it tells the name of a holder', async () => {
      const { provider } = await begin()
      const banks = await provider.banks(anyCalls)
      expect(new Set(banks.map(({ code }) => code)).size).toBe(banks.length)
      expect(banks.find(({ code }) => code === '058')?.name).toMatch(/guaranty/i)
      expect(await provider.accountName({ bankCode: '058', accountNumber: '0123456789' }, anyCalls)).toBe('OBI ADA')
    })

    test('a payin has an account of its own, and what is paid with its reference is listed with it, pending and then completed', async () => {
      const world = await begin()
      const open = () =>
        world.provider.openPayin(
          {
            id: newId(),
            reference: `PIN-${newId().slice(-12).toUpperCase()}`,
            amount: 500_000_000n,
            email: 'ada@example.com',
            name: 'Ada Obi',
          },
          anyCalls,
        )
      const [one, other] = [await open(), await open()]
      expect(one.account.accountNumber).toMatch(/^\d{10}$/)
      expect(one.account.accountNumber).not.toBe(other.account.accountNumber)
      expect(one.payable >= 500_000_000n).toBe(true)
      expect(one.expiresAt.getTime()).toBeGreaterThan(Date.now())
      await world.pay('PIN-0123456789AB', 500_000_000n)
      const [pending] = await listed(world)
      expect(pending).toMatchObject({ channel: 'bank_in', status: 'pending', asset: 'cNGN', amount: 500_000_000n })
      expect(pending?.targets).toContain('PIN-0123456789AB')
      await world.settle()
      const [completed, ...more] = await listed(world)
      expect([completed, more]).toEqual([{ ...pending, status: 'completed' }, []])
      expect(await listed(world)).toEqual([completed])
    })

    test('a payout is listed under its reference with its amount and destination until it is completed', async () => {
      const world = await funded()
      const reference = await accepted(world, order(world, 12_550_000n))
      const find = async () => (await listed(world)).find((each) => each.reference === reference)
      expect(await find()).toMatchObject({
        channel: 'payout',
        status: 'pending',
        amount: 12_550_000n,
        targets: ['0123456789'],
      })
      await world.settle()
      const completed = await find()
      expect(completed).toMatchObject({ status: 'completed', outcomeUnknown: false })
      // A redemption is asked for as one, and without saying what it is.
      for (const channel of ['payout', undefined] as const) {
        let found: ProviderTransaction | undefined
        for (let report = 0; report < (world.reports ?? 1); report++) {
          const told = await world.provider.movement(world.account, reference, anyCalls, channel)
          if (told) found = merged(found, told)
        }
        expect(found).toEqual(completed)
      }
      expect(await world.provider.movement(world.account, newId(), anyCalls)).toBeNull()
    })

    test('a withdrawal is listed with its address', async () => {
      const world = await funded()
      const address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
      const destination = { type: 'wallet', networkKey: 'base', address } as const
      const reference = await accepted(world, { ...order(world, 1_000_001n), destination })
      await world.settle()
      const found = (await listed(world)).find((each) => each.reference === reference)
      expect(found).toMatchObject({
        channel: 'withdrawal',
        status: 'completed',
        amount: 1_000_001n,
        targets: [address],
      })
      expect(found?.txHash).toMatch(/^0x/)
    })

    test('an order of any kind is found by its reference alone', async () => {
      const world = await funded()
      const address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
      const destination = { type: 'wallet', networkKey: 'base', address } as const
      const references = {
        payout: await accepted(world, order(world, 3_000_000n)),
        withdrawal: await accepted(world, { ...order(world, 4_000_000n), destination }),
      }
      for (const [channel, reference] of Object.entries(references)) {
        let found: ProviderTransaction | null = null
        for (let report = 0; report < (world.reports ?? 1); report++)
          found ??= await world.provider.movement(world.account, reference, anyCalls, channel as 'payout')
        expect(found).toMatchObject({ reference, channel })
      }
    })

    test('two equal payouts are two movements', async () => {
      const world = await funded()
      const references = [
        await accepted(world, order(world, 5_000_000n)),
        await accepted(world, order(world, 5_000_000n)),
      ]
      expect(new Set(references).size).toBe(2)
      await world.settle()
      const found = (await listed(world)).filter(({ channel }) => channel === 'payout')
      expect(found.map(({ reference }) => reference).sort()).toEqual(references.sort())
    })

    test('the treasury has what arrived, less what was sent and did not fail', async () => {
      const world = await funded()
      const treasury = () => world.provider.treasury(anyCalls)
      expect(await treasury()).toBe(1_000_000_000n)
      await accepted(world, order(world, 100_000_000n))
      const refused = await accepted(world, order(world, 200_000_000n, REFUSED))
      expect(await treasury()).toBe(700_000_000n)
      await world.settle()
      expect(await treasury()).toBe(900_000_000n)
      expect((await listed(world)).find((each) => each.reference === refused)?.status).toBe('failed')
    })
  })
}
