import { CustomerRef } from '@payments/customers'
import {
  createdAt,
  type FailureReasons,
  id,
  Metadata,
  nameText,
  personal,
  providerName,
  text,
  time,
  updatedAt,
} from '@payments/kernel'
import { z } from 'zod'
import { machines } from '../states.ts'
import type { Kind } from './kinds.ts'

// Schemas of fields that several objects have.

/** Numbers of the ids in examples, by kind. */
export const EXAMPLES: Readonly<Record<Kind, number>> = {
  convert: 90,
  withdrawal: 91,
  payout: 92,
  payin: 93,
  deposit: 94,
}
export const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const HASH = `0x${'9c2d0e5a'.repeat(8)}`

export const Input = (most: number, description: string, example: string) =>
  nameText(most).meta({ description, example })
export const units = (description: string, example: string) => text(`${description}, decimal text`, example)
export const txHash = (what: string) => text(`Hash of the ${what}’s transaction`, HASH).nullable()
export const networkText = (description: string) => text(description, 'base')

/** What every object has. */
export const common = <F extends FailureReasons>(kind: Kind, amount: z.ZodType<string | null>, reasons: F) => ({
  id: id(kind, EXAMPLES[kind]),
  provider: providerName,
  customerId: CustomerRef,
  status: machines[kind].Status.meta({ description: `State of the ${kind}` }),
  amount,
  failureReason: reasons.Code.nullable().meta({ description: 'Why it failed' }) as z.ZodNullable<F['Code']>,
  providerOutcome: z.enum(['unknown']).nullable().meta({
    description: '`unknown`: the provider does not report the outcome; it goes on once it does',
  }),
  metadata: Metadata,
  createdAt,
  updatedAt,
})

export const account = {
  accountNumber: personal(text('Account number', '9012345678')),
  accountName: personal(text('Name of the account', 'Ada Obi')),
  bankName: text('Name of the bank', 'Access Bank'),
  bankCode: text('Code of the bank', '044'),
}

export const Deposit = z
  .object({
    networkKey: networkText('Network key'),
    address: text('Address to which the payer sends', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    amount: units('What to send', '100'),
    expiresAt: time('The deposit must arrive before'),
  })
  .nullable()
