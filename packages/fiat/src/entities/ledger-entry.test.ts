import { amountText } from '@payments/kernel'
import { expect, test } from 'vitest'
import { OfframpReceipt, OnrampReceipt } from '../receipt.ts'
import { offrampMachine, onrampMachine } from '../states.ts'
import { offrampEntry, onrampEntry } from './ledger-entry.ts'
import type { OfframpRow } from './offramp.ts'
import type { OnrampRow } from './onramp.ts'

const row = {
  ...{ id: '01936f2a-7c1e-7000-8000-0000000000aa', networkKey: 'base', receivedAmount: null, rate: '1580.25' },
  ...{ accountName: 'ADA OBI', accountNumber: '0123456789', bankName: 'Test Bank', bankCountry: 'NG' },
  ...{ failureReason: null, reference: null, refund: null, returnedAt: null, txHash: null, evidence: null },
}

test.each(Object.keys(offrampMachine.states))(
  'the receipt of an offramp that is %s shows what was delivered, and nothing else',
  (status) => {
    const amounts = { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: 25_125_000n, fee: 125_000n }
    const entry = offrampEntry({ ...row, ...amounts, status, convertedAmount: 3_950_625n } as unknown as OfframpRow)
    const { destination, convertedAmount } = OfframpReceipt.parse(entry.receipt)
    expect(destination.amount).toBe(status === 'delivered' ? '39506.25' : '0')
    expect(convertedAmount).toBe(status === 'delivered' || status === 'settled' ? '39506.25' : '0')
  },
)

test.each(Object.keys(onrampMachine.states))(
  'the receipt of an onramp that is %s shows what was delivered, and nothing else',
  (status) => {
    const amounts = { sourceCurrency: 'NGN', destinationCurrency: 'USDC', amount: 5_000_000n, fee: 25_000n }
    const entry = onrampEntry({
      ...{ ...row, ...amounts, status, convertedAmount: 31_482_360n },
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    } as unknown as OnrampRow)
    const { destination } = OnrampReceipt.parse(entry.receipt)
    const delivered = status === 'delivered'
    expect([destination.amount, destination.amountUsd]).toEqual(delivered ? ['31.48236', '31.48236'] : ['0', '0'])
    // The list is about the order.
    expect(entry.amountUsd).toBe('31.48236')
  },
)

test('the list says what moved, once something has: of an offramp without its fees, of an onramp what was transferred', () => {
  const naira = { sourceCurrency: 'NGN', destinationCurrency: 'USDC', amount: 25_000_000n, fee: 0n }
  const onramp = { ...row, ...naira, status: 'processing', convertedAmount: 1n, paymentAmount: 25_000_000n }
  const listed = (received: bigint | null) =>
    amountText(onrampEntry({ ...onramp, receivedAmount: received } as unknown as OnrampRow))
  expect([listed(null), listed(22_000_000n)]).toEqual(['250000 NGN', '220000 NGN'])
  const usdc = { sourceCurrency: 'USDC', destinationCurrency: 'NGN', amount: 25_000_000n, depositAmount: 25_125_000n }
  const offramp = { ...row, ...usdc, fee: 125_000n, status: 'processing', convertedAmount: 1n }
  const sold = (received: bigint | null) => {
    const entry = offrampEntry({ ...offramp, receivedAmount: received } as unknown as OfframpRow)
    return [amountText(entry), entry.amountUsd]
  }
  // What arrived may be no more than the fee: an amount is never negative.
  expect([sold(null), sold(25_125_000n), sold(20_125_000n), sold(125_000n), sold(100_000n)]).toEqual([
    ['25 USDC', '25'],
    ['25 USDC', '25'],
    ['20 USDC', '20'],
    ['0.125 USDC', '0.125'],
    ['0.1 USDC', '0.1'],
  ])
})
