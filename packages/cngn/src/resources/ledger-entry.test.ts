import { describe, expect, test } from 'vitest'
import { blank, type TransferRow } from '../entity.ts'
import { kinds } from '../kinds/kinds.ts'
import { receipts } from '../receipt.ts'
import { machines } from '../states.ts'
import { entryOf } from './ledger-entry.ts'

/** What each kind delivers of 1,600 cNGN or 1 USDC, with a fee of a tenth. */
const cases = [
  ['payin', {}, '1440'],
  ['deposit', { networkKey: 'base', receiveAt: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' }, '1440'],
  ['payout', { accountNumber: '0123456789', bankName: 'Test Bank' }, '1440'],
  ['withdrawal', { networkKey: 'base', address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' }, '1440'],
  ['convert', { networkKey: 'base', fromCurrency: 'cNGN', toCurrency: 'USDC', convertedAmount: 1_000_000n }, '1'],
  ['convert', { networkKey: 'base', fromCurrency: 'USDC', toCurrency: 'cNGN', convertedAmount: 1_500_000n }, '1.5'],
] as const

test('the receipts of all kinds are tested', () => expect(new Set(cases.map(([kind]) => kind))).toEqual(new Set(kinds)))

describe.each(cases)('the receipt of a %s (%o)', (kind, fields, delivered) => {
  test.each(Object.keys(machines[kind].states))('that is %s shows what was delivered, and nothing else', (status) => {
    const { receipt } = entryOf({
      ...{ ...blank, id: '01936f2a-7c1e-7000-8000-0000000000aa', kind, status, customerId: 'c', account: 'a' },
      ...{
        amount: 1_600_000_000n,
        fee: 160_000_000n,
        failureReason: status === 'failed' ? 'expired' : null,
        ...fields,
      },
    } as unknown as TransferRow)
    expect(receipts[`cngn_${kind}`]?.schema.parse(receipt)).toMatchObject({
      destination: { amount: status === 'completed' ? delivered : '0' },
    })
  })
})
