import type { SwapsProvider } from '@payments/swaps'
import { describe, expect, test } from 'vitest'

/** A provider under test, with the payer's side of the chain. */
export interface SwapsWorld {
  readonly provider: SwapsProvider
  /** An address that no other test uses. */
  newAddress(): Promise<{ readonly depositAddress: string; readonly derivationIndex: number }>
  /** A payer's transfer arrives and is finalized. */
  pay(depositAddress: string, amount: bigint): Promise<void>
  /** Transactions that were sent become final. */
  settle(): Promise<void>
}

const WALLET = '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA'
const AMOUNT = 100_000_000n

/** The contract of every swap provider, sandbox and live. `begin` creates a separate world for one test. */
export function swapsContract(name: string, begin: () => Promise<SwapsWorld>): void {
  const opened = async () => {
    const world = await begin()
    const { depositAddress, derivationIndex } = await world.newAddress()
    const watched = { depositAddress, currency: 'EURC' } as const
    await world.provider.prepareAddress(watched)
    await world.provider.prepareAddress(watched)
    const request = (minimumAmount: bigint) => ({
      from: 'EURC' as const,
      to: 'USDC' as const,
      amount: AMOUNT,
      depositAddress,
      derivationIndex,
      destinationAddress: WALLET,
      minimumAmount,
      slippageBasisPoints: 50,
    })
    const prepared = async (minimumAmount: bigint) => {
      const transaction = await world.provider.prepareSwap(request(minimumAmount))
      if ('refused' in transaction) throw new Error(transaction.refused)
      return transaction
    }
    return { ...world, depositAddress, derivationIndex, watched, request, prepared }
  }

  describe(`${name} keeps the contract of swaps:`, () => {
    test('quotes both directions, and more for more', async () => {
      const { provider } = await begin()
      for (const [from, to] of [
        ['EURC', 'USDC'],
        ['USDC', 'EURC'],
      ] as const) {
        const one = await provider.quote({ from, to, amount: AMOUNT })
        const ten = await provider.quote({ from, to, amount: AMOUNT * 10n })
        expect(one.amountOut > 0n && ten.amountOut > one.amountOut).toBe(true)
        expect(one.source).not.toBe('')
      }
    })

    test('reports every deposit once for each read, the same in each, and none of another address', async () => {
      const { provider, watched, depositAddress, newAddress, pay } = await opened()
      const { depositAddress: other } = await newAddress()
      await provider.prepareAddress({ ...watched, depositAddress: other })
      await pay(depositAddress, 40_000_000n)
      await pay(depositAddress, 60_000_000n)
      const read = async () =>
        (await provider.deposits([watched, { ...watched, depositAddress: other }])).map((report) => {
          if (report instanceof Error) throw report
          return report
        })
      const [own, none] = await read()
      expect(own?.deposits.map(({ amount }) => amount).sort()).toEqual([40_000_000n, 60_000_000n])
      expect(new Set(own?.deposits.map(({ txHash }) => txHash)).size).toBe(2)
      expect(none?.deposits).toEqual([])
      expect((await read())[0]?.deposits).toEqual(own?.deposits)
    })

    test('a report that goes on where the last one ended has what is new, and may repeat what is not', async () => {
      const { provider, watched, depositAddress, pay } = await opened()
      const read = async (readTo: string | null) => {
        const [report] = await provider.deposits([{ ...watched, readTo }])
        if (!report || report instanceof Error) throw report ?? new Error('No report')
        expect(report.complete).toBe(true)
        return report
      }
      await pay(depositAddress, 40_000_000n)
      const first = await read(null)
      await pay(depositAddress, 60_000_000n)
      const second = await read(first.readTo)
      const amounts = new Map([...first.deposits, ...second.deposits].map(({ txHash, amount }) => [txHash, amount]))
      expect([...amounts.values()].sort()).toEqual([40_000_000n, 60_000_000n])
    })

    test('a swap is known before it is sent, delivers at least its minimum, and moves money once however often it is sent', async () => {
      const { provider, depositAddress, pay, settle, prepared } = await opened()
      await pay(depositAddress, AMOUNT)
      const { amountOut } = await provider.quote({ from: 'EURC', to: 'USDC', amount: AMOUNT })
      const minimum = (amountOut * 99n) / 100n
      const transaction = await prepared(minimum)
      expect(await provider.outcome(transaction)).toEqual({ status: 'unknown' })
      for (let time = 0; time < 3; time++) await provider.send(transaction)
      await settle()
      const outcome = await provider.outcome(transaction)
      expect(outcome.status).toBe('finalized')
      expect('receivedAmount' in outcome && outcome.receivedAmount >= minimum).toBe(true)
      await provider.send(transaction)
      expect(await provider.outcome(transaction)).toEqual(outcome)
    })

    test('a quote below the minimum is refused before anything is signed', async () => {
      const { provider, depositAddress, pay, request } = await opened()
      await pay(depositAddress, AMOUNT)
      const { amountOut } = await provider.quote({ from: 'EURC', to: 'USDC', amount: AMOUNT })
      expect(await provider.prepareSwap(request(amountOut * 2n))).toEqual({ refused: 'price_moved' })
    })

    test('a refund sends back what it says', async () => {
      const { provider, depositAddress, derivationIndex, pay, settle } = await opened()
      await pay(depositAddress, AMOUNT)
      const refund = await provider.prepareRefund({
        depositAddress,
        derivationIndex,
        currency: 'EURC',
        amount: AMOUNT,
        refundAddress: WALLET,
        mayCreateAccount: true,
      })
      if ('waits' in refund) throw new Error(refund.waits)
      await provider.send(refund)
      await settle()
      expect(await provider.outcome(refund)).toMatchObject({ status: 'finalized', receivedAmount: AMOUNT, fees: 0n })
    })

    test('a second transaction for the same money fails', async () => {
      const { provider, depositAddress, pay, settle, prepared } = await opened()
      await pay(depositAddress, AMOUNT)
      const [one, two] = [await prepared(1n), await prepared(1n)]
      expect(one.signature).not.toBe(two.signature)
      await provider.send(one)
      // A provider may refuse it at once, or accept it without effect.
      await provider.send(two).catch(() => undefined)
      await settle()
      expect((await provider.outcome(one)).status).toBe('finalized')
      expect((await provider.outcome(two)).status).not.toBe('finalized')
    })
  })
}
