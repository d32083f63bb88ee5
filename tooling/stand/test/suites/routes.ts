import { isAddressOf, type NetworkType, networkOf } from '@payments/kernel'
import type { DepositReport, QuotedAmount, RoutesProvider } from '@payments/routes'
import { describe, expect, test } from 'vitest'

type Outcome = 'completed' | 'failed' | 'refunded'

/** A provider under test, with a way to make deposits and to settle them. */
export interface RoutesWorld {
  readonly provider: RoutesProvider
  /** How often an address is read before everything true was told once; 1 unless given. */
  readonly looks?: number
  /** A payer's transfer of this many minor units arrives; it stays pending until {@link settle}. */
  pay(depositAddress: string, amount: bigint, outcome: Outcome): Promise<void>
  /** Settles pending deposits with the `outcome` of each. */
  settle(): Promise<void>
  /** The time of every address passes; for those that take one payment, until a time. */
  expire?(): Promise<void>
}

const usdc = { networkKey: 'ethereum', currency: 'USDC' }
const onBase = { networkKey: 'base', currency: 'USDC' }
const eth = { networkKey: 'ethereum', currency: 'ETH' }
const ROUTE = '01936f2a-7c1e-7000-8000-000000000010'
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const REFUNDS = {
  evm: WALLET,
  svm: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
  tvm: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
}

/** An end counts more than anything else that a report tells. */
const completeness = (report: DepositReport): number =>
  Object.values(report).filter((value) => value !== null).length + (report.status === 'pending' ? 0 : 100)

/** The contract of every payment route provider, sandbox and live. `begin` creates a separate world for one test. */
export function routesContract(
  name: string,
  capabilities: RoutesProvider['capabilities'],
  begin: () => Promise<RoutesWorld>,
): void {
  const quoted = (
    { provider }: RoutesWorld,
    quote: QuotedAmount,
    origin: { networkKey: string; currency: string } = usdc,
    type: 'evm' | 'svm' | 'tvm' = 'evm',
  ) =>
    provider.createDepositAddress({
      routeId: ROUTE,
      origin,
      destination: { ...onBase, address: WALLET },
      refundAddress: REFUNDS[type],
      quote,
      strict: !capabilities.reusableAddresses,
      until: new Date(Date.now() + 3_600_000),
    })
  /** An address for this payment: one that takes any, or one that was quoted for it. */
  const open = async (
    world: RoutesWorld,
    amount = 25_000_000n,
    origin: { networkKey: string; currency: string } = usdc,
    type: 'evm' | 'svm' | 'tvm' = 'evm',
  ) => {
    if (!capabilities.reusableAddresses) return (await quoted(world, { input: amount }, origin, type)).depositAddress
    const { depositAddress } = await world.provider.createDepositAddress({
      routeId: ROUTE,
      origin,
      destination: { ...onBase, address: WALLET },
      refundAddress: REFUNDS[type],
    })
    return depositAddress
  }
  /** What a provider that omits, repeats and reorders tells in several answers: of each deposit the most complete report. */
  const look = async (world: RoutesWorld, depositAddress: string, origin = usdc, since: Date | null = null) => {
    const told = new Map<string, DepositReport>()
    for (let time = 0; time < (world.looks ?? 1); time++) {
      const query = { depositAddress, origin, destination: onBase, since, pendingRequests: [...told.keys()] }
      for (const report of (await world.provider.deposits(query)).reports) {
        const known = told.get(report.requestId)
        // What is not true is not told, however little is told.
        if (known && known.status !== 'pending' && report.status !== 'pending')
          expect([report.status, report.originAmount, report.destinationAmount]).toEqual([
            known.status,
            known.originAmount,
            known.destinationAmount,
          ])
        if (!known || completeness(report) >= completeness(known)) told.set(report.requestId, report)
      }
    }
    return [...told.values()]
  }
  const only = async (reports: Promise<readonly DepositReport[]>) => {
    const all = await reports
    expect(all).toHaveLength(1)
    return all[0] as DepositReport
  }

  describe(`${name} keeps the contract of payment routes:`, () => {
    test('it declares what it can do', async () => {
      expect((await begin()).provider.capabilities).toEqual(capabilities)
    })

    test('its offers are known networks and symbols, each once, and a deposit address can be created for them', async () => {
      const { provider } = await begin()
      const offers = await provider.offers()
      expect(new Set(offers.map(({ networkKey }) => networkKey)).size).toBe(offers.length)
      for (const { networkKey, origins, destinations } of offers) {
        const symbols: readonly string[] = networkOf(networkKey)?.currencies ?? []
        for (const side of [origins, destinations]) {
          expect(side.filter((symbol) => !symbols.includes(symbol))).toEqual([])
          expect(new Set(side).size).toBe(side.length)
        }
      }
      expect(offers.find(({ networkKey }) => networkKey === 'ethereum')?.origins).toContain('USDC')
      expect(offers.find(({ networkKey }) => networkKey === 'base')?.destinations).toContain('USDC')
    })

    test.each([
      ['evm', usdc],
      ['svm', { networkKey: 'solana', currency: 'SOL' }],
      ['tvm', { networkKey: 'tron', currency: 'USDT' }],
    ] as const)('a deposit address is one of its %s chain, and every route has its own', async (type, origin) => {
      const world = await begin()
      const first = await open(world, 500_000_000n, origin, type)
      const second = await open(world, 500_000_000n, origin, type)
      expect([isAddressOf(type, first), isAddressOf(type, second)]).toEqual([true, true])
      expect(second).not.toBe(first)
    })

    test('a quoted address tells what the payer must send, for an exact input that amount', async () => {
      const world = await begin()
      const exact = await quoted(world, { input: 25_000_000n })
      expect(exact.inputAmount).toBe(25_000_000n)
      const expected = await quoted(world, { output: 25_000_000n })
      expect(expected.inputAmount).toBeGreaterThanOrEqual(25_000_000n)
      expect(expected.depositAddress).not.toBe(exact.depositAddress)
    })

    test('its default refund addresses are valid addresses of each kind of chain', async () => {
      const { provider } = await begin()
      const refundAddresses: Partial<Record<NetworkType, string>> = provider.refundAddresses ?? {}
      for (const [type, address] of Object.entries(refundAddresses))
        expect(isAddressOf(type as NetworkType, address), address).toBe(true)
    })

    test('an address without payments has no deposits', async () => {
      const world = await begin()
      expect(await look(world, await open(world))).toEqual([])
    })

    test.each(['completed', 'failed', 'refunded'] as const)(
      'a deposit is on its way before it is %s, and keeps its id and amount',
      async (outcome) => {
        const world = await begin()
        const address = await open(world, 12_500_000n)
        await world.pay(address, 12_500_000n, outcome)
        const before = await only(look(world, address))
        expect(before).toMatchObject({
          status: 'pending',
          origin: usdc,
          destinationAmount: null,
        })
        // What arrived is known from the end of the deposit; before, it may be.
        expect([null, 12_500_000n]).toContain(before.originAmount)
        await world.settle()
        const after = await only(look(world, address))
        expect(after).toMatchObject({ requestId: before.requestId, status: outcome, originAmount: 12_500_000n })
        // The end of an only deposit may leave its transaction out: it is known by its request.
        const hash = after.depositTxHash ?? (after.onlyDeposit ? before.depositTxHash : null)
        expect(hash).toBe(before.depositTxHash)
        expect(after.destinationAmount === null).toBe(outcome !== 'completed')
        expect(after.failureReason === null).toBe(outcome === 'completed')
      },
    )

    test('amounts are exact to the last of 18 decimals', async () => {
      const world = await begin()
      const address = await open(world, 1_234_567_890_123_456_789n, eth)
      await world.pay(address, 1_234_567_890_123_456_789n, 'refunded')
      await world.settle()
      expect((await only(look(world, address, eth))).originAmount).toBe(1_234_567_890_123_456_789n)
    })

    test('dollar values are decimal text', async () => {
      const world = await begin()
      const address = await open(world, 12_500_000n)
      await world.pay(address, 12_500_000n, 'completed')
      await world.settle()
      const { originAmountUsd, destinationAmountUsd } = await only(look(world, address))
      for (const usd of [originAmountUsd, destinationAmountUsd]) expect(usd).toMatch(/^\d+(\.\d+)?$/)
    })

    test('polling twice reports the same, and one address nothing of another', async () => {
      const world = await begin()
      const [address, other] = [await open(world, 5n), await open(world, 5n)]
      await world.pay(address, 5n, 'completed')
      await world.settle()
      const told = async () =>
        (await look(world, address)).map(({ requestId, status, originAmount }) => [requestId, status, originAmount])
      expect(await told()).toEqual(await told())
      expect(await look(world, other)).toEqual([])
    })

    test('no change since a given time is left out', async () => {
      const world = await begin()
      const address = await open(world, 7n)
      await world.pay(address, 7n, 'completed')
      const { updatedAt } = await only(look(world, address))
      await world.settle()
      expect(await only(look(world, address, usdc, updatedAt))).toMatchObject({ status: 'completed' })
    })

    if (capabilities.reusableAddresses) reusable()
    else single()
  })

  function reusable(): void {
    test('two deposits at one address are two', async () => {
      const world = await begin()
      const address = await open(world)
      await world.pay(address, 1_000_000n, 'completed')
      await world.settle()
      await world.pay(address, 2_000_000n, 'refunded')
      await world.settle()
      const reports = await look(world, address)
      expect(new Set(reports.map((report) => report.requestId)).size).toBe(2)
      expect(reports.map((report) => [report.originAmount, report.status]).toSorted()).toEqual([
        [1_000_000n, 'completed'],
        [2_000_000n, 'refunded'],
      ])
    })

    test('many deposits at one address are all reported', async () => {
      const world = await begin()
      const address = await open(world)
      for (let number = 1n; number <= 60n; number++) await world.pay(address, number, 'completed')
      await world.settle()
      const amounts = (await look(world, address)).map((report) => Number(report.originAmount))
      expect(amounts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    })
  }

  /** An address that takes one payment of the quoted amount, until a time. */
  function single(): void {
    test('an address without a quote, or for any amount, is refused', async () => {
      const { provider } = await begin()
      const order = { routeId: ROUTE, origin: usdc, destination: { ...onBase, address: WALLET }, refundAddress: WALLET }
      const refused = { name: 'ServiceError', status: 502 }
      await expect(provider.createDepositAddress(order)).rejects.toMatchObject(refused)
      const open = { ...order, quote: { input: 25_000_000n } }
      await expect(provider.createDepositAddress(open)).rejects.toMatchObject(refused)
    })

    test.each([{ input: 25_000_000n }, { output: 25_000_000n }])(
      'what was quoted is delivered for the amount that was quoted: %o',
      async (quote) => {
        const world = await begin()
        const { depositAddress, inputAmount, outputAmount } = await quoted(world, quote)
        if ('output' in quote) expect(outputAmount).toBe(quote.output)
        await world.pay(depositAddress, inputAmount as bigint, 'completed')
        await world.settle()
        const { status, originAmount, destinationAmount } = await only(look(world, depositAddress))
        expect([status, originAmount]).toEqual(['completed', inputAmount])
        expect(destinationAmount).toBeGreaterThanOrEqual(outputAmount as bigint)
      },
    )

    test('less than quoted is pending until the time has passed, and is sent back then', async () => {
      const world = await begin()
      const address = await open(world)
      await world.pay(address, 24_999_999n, 'completed')
      await world.settle()
      const before = await only(look(world, address))
      expect(before).toMatchObject({ status: 'pending', destinationAmount: null, failureReason: null })
      await world.expire?.()
      expect(await only(look(world, address))).toMatchObject({
        requestId: before.requestId,
        status: 'refunded',
        originAmount: 24_999_999n,
        destinationAmount: null,
      })
    })

    test('of more than quoted the excess is sent back, and is no deposit of its own', async () => {
      const world = await begin()
      const { depositAddress, outputAmount } = await quoted(world, { input: 25_000_000n })
      await world.pay(depositAddress, 26_000_000n, 'completed')
      await world.settle()
      const report = await only(look(world, depositAddress))
      expect(report).toMatchObject({ status: 'completed', originAmount: 26_000_000n, failureReason: null })
      expect(report.destinationAmount).toBeGreaterThanOrEqual(outputAmount as bigint)
      expect(report.destinationAmount).toBeLessThanOrEqual(25_000_000n)
    })

    test('an address that nobody pays has no deposit when its time has passed', async () => {
      const world = await begin()
      const address = await open(world)
      await world.expire?.()
      expect(await look(world, address)).toEqual([])
    })

    test.each(['completed', 'failed', 'refunded'] as const)(
      'after it is %s nothing else is reported',
      async (outcome) => {
        const world = await begin()
        const address = await open(world)
        await world.pay(address, 25_000_000n, outcome)
        await world.settle()
        const told = async () =>
          (await look(world, address)).map(({ requestId, status, originAmount }) => [requestId, status, originAmount])
        const end = await told()
        await world.pay(address, 25_000_000n, outcome)
        await world.settle()
        await world.expire?.()
        expect(await told()).toEqual(end)
        expect(end).toMatchObject([[expect.any(String), outcome, 25_000_000n]])
      },
    )
  }
}
