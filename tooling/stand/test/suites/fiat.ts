import { type Direction, type FiatProvider, fiatConversions, type OnrampAmount, type OrderReport } from '@payments/fiat'
import { assetOf, isAddressOf, networkOf, newId } from '@payments/kernel'
import { describe, expect, test } from 'vitest'

/** Accounts with which the offramps of a world end in these ways. */
export const fiatAccounts = { delivered: '0123456789', refunded: '0000000000', returned: '0000000002' } as const

/** A provider under test, with the payer's and the bank's side of it. */
export interface FiatWorld {
  readonly provider: FiatProvider
  /** The payer's money arrives: this many minor units of the source currency. */
  pay(reference: string, amount: bigint): Promise<void>
  /** Paid orders end as their account says. Refunds are pending after the first call and completed after the second. */
  settle(): Promise<void>
  /** Orders that are not paid expire. */
  expire(): Promise<void>
  /** The provider will send the money of this order back, where it can refuse one. */
  refuse?(reference: string): Promise<void>
}

/** Polls until a report says this: providers may repeat earlier ones first, and leave out what is optional. */
const until = (report: () => Promise<OrderReport>, expected: object) =>
  expect.poll(report, { interval: 1, timeout: 5000 }).toMatchObject(expected)
const hundredths = (rate: string): bigint => BigInt(Math.round(Number(rate) * 100))

/** Some providers pay out whole units: at most half a one more or less than the rate gives, of which they tell. */
function expectPaidOut(converted: bigint | null, amount: bigint, rate: string): void {
  const exact = amount * hundredths(rate)
  expect(converted === exact || (converted !== null && converted % 100n === 0n)).toBe(true)
  expect(Math.abs(Number((converted ?? 0n) - exact))).toBeLessThanOrEqual(50)
}

const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

/** The contract of every local fiat provider, sandbox and live. `begin` creates a separate world for one test. */
export function fiatContract(name: string, begin: () => Promise<FiatWorld>): void {
  const offramp = async ({ provider }: FiatWorld, outcome: keyof typeof fiatAccounts = 'delivered', quoted = false) => {
    const reference = newId()
    const amount = 25_000_000n
    const corridor = { amount, asset: 'USDC', networkKey: 'base', currency: 'NGN' }
    const quote = quoted ? await provider.sellQuote(corridor) : null
    const accepted = await provider.createOfframp({
      ...corridor,
      reference,
      account: {
        currency: 'NGN',
        bankCode: '058',
        accountNumber: fiatAccounts[outcome],
        accountName: 'Ada Obi',
      },
      refundAddress: WALLET,
      quote,
    })
    const asked = accepted.deposit.amount
    return {
      reference,
      amount,
      accepted,
      quote,
      ...reports(provider, 'offramp', reference, { ...accepted, amount, asked }),
    }
  }
  const onramp = async ({ provider }: FiatWorld, of: OnrampAmount = { input: 5_000_000n }) => {
    const reference = newId()
    const accepted = await provider.createOnramp({
      reference,
      amount: of,
      asset: 'USDC',
      networkKey: 'base',
      currency: 'NGN',
      address: WALLET,
      refundAccount: { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' },
    })
    const asked = accepted.paymentAccount.amount
    const amount = 'input' in of ? of.input : asked
    return { reference, amount, accepted, ...reports(provider, 'onramp', reference, { ...accepted, amount, asked }) }
  }
  const reports = (
    provider: FiatProvider,
    direction: Direction,
    reference: string,
    { providerOrderId, rate, amount, asked }: { providerOrderId: string; rate: string; amount: bigint; asked: bigint },
  ) => ({
    report: async (): Promise<OrderReport> => {
      const order = {
        direction,
        reference,
        providerOrderId,
        asset: 'USDC',
        networkKey: 'base',
        ...{ currency: 'NGN', amount, asked, rate },
      }
      return (await provider.report(order)).report
    },
  })

  describe(`${name} keeps the contract of local fiat:`, () => {
    test('its corridors are known currencies, assets and networks, and their limits keep numbers within 15 digits', async () => {
      const { provider } = await begin()
      const { currencies, corridors } = await provider.offers()
      expect(new Set(currencies.map(({ code }) => code)).size).toBe(currencies.length)
      expect(corridors.length).toBeGreaterThan(0)
      for (const corridor of corridors) {
        expect(currencies.some(({ code }) => code === corridor.currency)).toBe(true)
        expect(networkOf(corridor.networkKey)?.currencies).toContain(corridor.asset)
        expect(assetOf(corridor.currency)).toBeDefined()
        expect(corridor.minAmount > 0n && corridor.minAmount < corridor.maxAmount).toBe(true)
        expect(corridor.maxAmount < 10n ** 15n).toBe(true)
      }
      for (const { minAmount, maxAmount } of currencies) {
        expect(minAmount > 0n && minAmount < maxAmount).toBe(true)
        expect(maxAmount < 10n ** 15n).toBe(true)
      }
    })

    test('every channel of a currency has institutions, each with its own code', async () => {
      const { provider } = await begin()
      const { currencies, corridors } = await provider.offers()
      for (const { code } of currencies) {
        const institutions = await provider.institutions(code)
        expect(new Set(institutions.map((each) => each.code)).size).toBe(institutions.length)
        for (const { channel } of corridors.filter(({ currency }) => currency === code))
          expect(institutions.some(({ type }) => type === channel)).toBe(true)
      }
      expect((await provider.institutions('NGN')).find(({ code }) => code === '058')?.name).toMatch(/guaranty/i)
    })

    test('a name is what the bank told; where it tells none the account is unresolved', async () => {
      const { provider } = await begin()
      const nigerian = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' }
      expect(await provider.accountName(nigerian, 'verification')).toEqual({
        status: 'verified',
        accountName: 'OBI ADA',
      })
      const kenyan = { currency: 'KES', bankCode: 'SAFAKEPC', accountNumber: '+254712345678' }
      expect(await provider.accountName(kenyan, 'verification')).toEqual({ status: 'unresolved' })
      const none = { ...nigerian, accountNumber: fiatAccounts.refunded }
      expect(await provider.accountName(none, 'verification')).toEqual({ status: 'not_found' })
    })

    test('a quoted rate and fee are those of the order that takes the quote', async () => {
      const world = await begin()
      await offramp(world)
      const { accepted, quote } = await offramp(world, 'delivered', true)
      expect(quote?.expiresAt.getTime()).toBeGreaterThan(Date.now())
      expect([Number(accepted.rate), accepted.fee, accepted.convertedAmount]).toEqual([
        Number(quote?.rate),
        quote?.fee,
        quote?.convertedAmount,
      ])
    })

    test('an offramp asks for its amount and fees at an address of its own', async () => {
      const world = await begin()
      const [one, other] = [await offramp(world), await offramp(world)]
      expect(one.accepted.deposit.amount).toBe(one.amount + one.accepted.fee)
      expectPaidOut(one.accepted.convertedAmount, 25n, one.accepted.rate)
      expect(isAddressOf('evm', one.accepted.deposit.address)).toBe(true)
      expect(one.accepted.deposit.address).not.toBe(other.accepted.deposit.address)
      expect(one.accepted.deposit.expiresAt.getTime()).toBeGreaterThan(Date.now())
      await until(one.report, { status: 'waiting', receivedAmount: null, refund: null })
    })

    test('a paid offramp is received, then delivered, and stays so', async () => {
      const world = await begin()
      const { reference, accepted, report } = await offramp(world)
      await world.pay(reference, accepted.deposit.amount)
      await until(report, { status: 'received', receivedAmount: accepted.deposit.amount })
      await world.settle()
      await until(report, { status: 'delivered', failureReason: null, refund: null })
      // Earlier reports may come late. None says that it failed, or another amount.
      for (let polls = 0; polls < 5; polls++) {
        const { status, receivedAmount, convertedAmount } = await report()
        expect(['waiting', 'received', 'settled', 'delivered']).toContain(status)
        if (receivedAmount !== null) expect(receivedAmount).toBe(accepted.deposit.amount)
        expect(convertedAmount ?? accepted.convertedAmount).toBe(accepted.convertedAmount)
      }
    })

    test('another amount is paid out less the fee at the same rate', async () => {
      const world = await begin()
      const { reference, accepted, report } = await offramp(world)
      await world.pay(reference, 10_000_000n + accepted.fee)
      const receivedAmount = 10_000_000n + accepted.fee
      await until(report, { receivedAmount, fee: accepted.fee })
      await world.settle()
      await until(report, { status: 'delivered', receivedAmount, fee: accepted.fee })
      expectPaidOut((await report()).convertedAmount, 10n, accepted.rate)
    })

    test.each(['refunded', 'returned'] as const)('the money of an offramp that is %s goes back', async (outcome) => {
      const world = await begin()
      const { reference, accepted, report } = await offramp(world, outcome)
      await world.pay(reference, accepted.deposit.amount)
      await world.settle()
      await until(report, { status: 'failed', refund: { status: 'pending' } })
      await world.settle()
      const receivedAmount = accepted.deposit.amount
      await until(report, { status: 'failed', receivedAmount, refund: { status: 'completed' } })
      // Not every provider tells what went back, and some keep a fee.
      const back = (await report()).refund?.amount ?? receivedAmount
      expect(back <= receivedAmount && back >= receivedAmount - accepted.fee).toBe(true)
    })

    test('orders that nobody pays expire', async () => {
      const world = await begin()
      const all = [await offramp(world), await onramp(world)]
      await world.expire()
      for (const { report } of all) await until(report, { status: 'expired', receivedAmount: null })
    })

    test('an onramp tells where to pay how much, and delivers what it promised', async () => {
      const world = await begin()
      const { reference, amount, accepted, report } = await onramp(world)
      expect(accepted.paymentAccount.amount).toBe(amount)
      expect(accepted.paymentAccount.expiresAt.getTime()).toBeGreaterThan(Date.now())
      expect(accepted.convertedAmount > 0n).toBe(true)
      await until(report, { status: 'waiting', receivedAmount: null })
      await world.pay(reference, amount)
      await world.settle()
      await until(report, { status: 'delivered', receivedAmount: amount })
      expect([null, accepted.convertedAmount]).toContain((await report()).convertedAmount)
    })

    test.each([25_000_000n, 24_999_999n, 1_000_001n, 9_999_999_999n])(
      'an onramp for a delivery of %s asks for the least that brings it, and delivers it',
      async (output) => {
        const world = await begin()
        const { reference, amount, accepted, report } = await onramp(world, { output })
        const { convertedAmount, fee, rate } = accepted
        expect(convertedAmount >= output).toBe(true)
        // At the rate of the order a kobo less would not have bought it; the fee comes on top.
        const price = fiatConversions.cost(output, 'USDC', 'NGN', rate)
        expect(amount - fee - price <= 1n).toBe(true)
        await world.pay(reference, amount)
        await world.settle()
        await until(report, { status: 'delivered', receivedAmount: amount })
        expect([null, convertedAmount]).toContain((await report()).convertedAmount)
      },
    )

    test('a corridor lists about the rate at which it is ordered', async () => {
      const world = await begin()
      const { corridors } = await world.provider.offers()
      for (const [direction, order] of [
        ['offramp', offramp],
        ['onramp', onramp],
      ] as const) {
        const listed = corridors.find(
          (each) =>
            each.direction === direction &&
            each.currency === 'NGN' &&
            each.asset === 'USDC' &&
            each.networkKey === 'base',
        )
        expect(Number(listed?.rate)).toBeCloseTo(Number((await order(world)).accepted.rate), 2)
      }
    })

    test('money of an onramp that goes back is not money that never came', async () => {
      const world = await begin()
      if (!world.refuse) return
      const { reference, amount, report } = await onramp(world)
      await world.refuse(reference)
      await world.pay(reference, amount)
      await world.settle()
      await until(report, { status: 'failed', receivedAmount: amount, refund: { status: 'pending' } })
      await world.settle()
      await until(report, { status: 'failed', receivedAmount: amount, refund: { status: 'completed' } })
    })
  })
}
