import type { Outputs } from '@payments/client'
import { Link } from 'wouter'
import { exact, networkName, words } from '../../../parts/format.ts'
import { CustomerLink } from '../../../parts/object/customer-link.tsx'
import { titleOf } from '../../../parts/object/fields.ts'
import { Amount, Copyable } from '../../../parts/parts.tsx'
import { ConvertForm, DepositForm, PayinForm, PayoutForm, WithdrawalForm } from '../forms/cngn-forms.tsx'
import type { Fact, Kind } from '../kind.ts'
import { ApprovalPart } from './approval.tsx'
import { Evidence } from './orders.tsx'

type Cngn = Outputs['cngn']

const states = { pending: 'step', processing: 'step', completed: 'step', failed: 'beside' } as const
const ANY = 'Any amount of cNGN'
const waits = ({ status }: { status: string }): boolean => status === 'pending'

/** What every object of cNGN has. */
const common = (
  of: { customerId: string; fee: string; failureReason: string | null },
  currency = 'cNGN',
): readonly Fact[] => [
  [titleOf('fee'), of.fee !== '0' && <Amount of={`${of.fee} ${currency}`} />],
  [titleOf('failureReason'), of.failureReason && words(of.failureReason)],
  [titleOf('customerId'), <CustomerLink key="customer" id={of.customerId} />],
]

/** A further transfer to the account of a payin: whose it is, where the money is and what happens next. */
const furtherTransfer = ({ amount, status, relatedPayinId }: Cngn['payins']['get']): readonly Fact[] => [
  [
    'Transfer to the account of',
    relatedPayinId && (
      <Link key="related" href={`/cngn/payins/${relatedPayinId}`}>
        another payin, which was already paid or had ended
      </Link>
    ),
  ],
  ['What happens next', relatedPayinId && NEXT[status](exact(`${amount} cNGN`))],
]

const NEXT: Readonly<Record<keyof typeof states, (amount: string) => string>> = {
  pending: (amount) => `${amount} is added to the customer’s balance when the transfer arrives.`,
  processing: (amount) =>
    `${amount} is on its way to the customer’s balance. It appears there automatically, usually within minutes.`,
  completed: (amount) =>
    `${amount} is in the customer’s balance. If it was not meant to be paid, pay it back from there with a payout.`,
  failed: (amount) => `${amount} was not added to the customer’s balance.`,
}

export const payins: Kind<Cngn['payins']['get']> = {
  path: '/cngn/payins',
  needs: 'cngn',
  title: 'cNGN payins',
  one: 'cNGN payin',
  teaches:
    'A payin is an account into which a customer pays naira once; they arrive as cNGN on the customer’s balance.',
  rest: '/v1/cngn/payins',
  transactions: { kind: 'cngn_payin', assets: ['cNGN'] },
  read: (api, payinId) => api.cngn.payins.get.query({ payinId }),
  summary: (of) => ({ ...of, amount: `${of.amount} cNGN`, to: 'Balance of the customer' }),
  states,
  instruction: (of) =>
    waits(of)
      ? {
          text: `Transfer it to ${of.account.accountName}, ${of.account.bankName}`,
          to: of.account.accountNumber,
          amount: of.account.amount ? `${of.account.amount} NGN` : undefined,
          facts: of.reference ? [[titleOf('reference'), of.reference]] : [],
          until: of.account.expiresAt,
        }
      : undefined,
  facts: (of) => [...furtherTransfer(of), ...common(of)],
  simulate: {
    label: 'Make the transfer in the sandbox',
    when: waits,
    calls: 'sandbox.cngn.payin',
    run: (api, { id }) => api.sandbox.cngn.payin.mutate({ payinId: id }),
  },
  create: { calls: 'cngn.payins.create', Form: PayinForm },
}

export const payouts: Kind<Cngn['payouts']['get']> = {
  path: '/cngn/payouts',
  needs: 'cngn',
  title: 'cNGN payouts',
  one: 'cNGN payout',
  teaches: 'A payout sends naira from a customer’s cNGN balance to a Nigerian bank account.',
  rest: '/v1/cngn/payouts',
  transactions: { kind: 'cngn_payout', assets: ['cNGN'] },
  read: (api, payoutId) => api.cngn.payouts.get.query({ payoutId }),
  summary: (of) => ({
    ...of,
    amount: `${of.amount} cNGN`,
    to: `${of.bankAccount.accountName}, ${of.bankAccount.bankName} •••• ${of.bankAccount.accountNumber.slice(-4)}`,
  }),
  states,
  facts: (of) => [
    [titleOf('accountCheck'), <Evidence key="name" of={of.accountCheck} at={of.bankAccount.bankName} />],
    [titleOf('reference'), of.reference],
    ...common(of),
  ],
  Parts: ApprovalPart,
  create: { calls: 'cngn.payouts.create', Form: PayoutForm },
}

export const converts: Kind<Cngn['converts']['get']> = {
  path: '/cngn/converts',
  needs: 'cngn',
  title: 'cNGN converts',
  one: 'cNGN convert',
  teaches: 'A convert turns USDC or USDT into cNGN on a customer’s balance, or cNGN into one of them in a wallet.',
  rest: '/v1/cngn/converts',
  transactions: { kind: 'cngn_convert', assets: ['cNGN', 'USDC', 'USDT'] },
  read: (api, convertId) => api.cngn.converts.get.query({ convertId }),
  summary: (of) => ({
    ...of,
    amount: `${of.amount} ${of.fromCurrency}`,
    to: of.destinationAddress
      ? `${of.toCurrency} to ${of.destinationAddress}`
      : `${of.toCurrency} balance of the customer`,
  }),
  states,
  instruction: (of) =>
    waits(of) && of.deposit
      ? {
          text: `Send it on ${networkName(of.deposit.networkKey)}`,
          to: of.deposit.address,
          code: true,
          amount: `${of.deposit.amount} ${of.fromCurrency}`,
          until: of.deposit.expiresAt,
        }
      : undefined,
  facts: (of) => [
    [titleOf('convertedAmount'), <Amount key="becomes" of={`${of.convertedAmount} ${of.toCurrency}`} />],
    [
      titleOf('rate'),
      of.rate && (
        <Amount key="rate" of={`${of.rate} cNGN for 1 ${of.toCurrency === 'cNGN' ? of.fromCurrency : of.toCurrency}`} />
      ),
    ],
    [titleOf('depositTxHash'), of.depositTxHash && <Copyable text={of.depositTxHash} label="Copy the hash" />],
    ['Transaction of the delivery', of.txHash && <Copyable text={of.txHash} label="Copy the hash" />],
    ...common(of, of.fromCurrency),
  ],
  simulate: {
    label: 'Send the deposit in the sandbox',
    when: (of) => waits(of) && of.deposit !== null,
    calls: 'sandbox.cngn.convert',
    run: (api, { id }) => api.sandbox.cngn.convert.mutate({ convertId: id }),
  },
  Parts: ApprovalPart,
  create: { calls: 'cngn.converts.create', Form: ConvertForm },
}

export const withdrawals: Kind<Cngn['withdrawals']['get']> = {
  path: '/cngn/withdrawals',
  needs: 'cngn',
  title: 'cNGN withdrawals',
  one: 'cNGN withdrawal',
  teaches: 'A withdrawal sends cNGN from a customer’s balance to a wallet.',
  rest: '/v1/cngn/withdrawals',
  transactions: { kind: 'cngn_withdrawal', assets: ['cNGN'] },
  read: (api, withdrawalId) => api.cngn.withdrawals.get.query({ withdrawalId }),
  summary: (of) => ({ ...of, amount: `${of.amount} cNGN`, to: `${networkName(of.networkKey)} ${of.address}` }),
  states,
  facts: (of) => [['Transaction', of.txHash && <Copyable text={of.txHash} label="Copy the hash" />], ...common(of)],
  Parts: ApprovalPart,
  create: { calls: 'cngn.withdrawals.create', Form: WithdrawalForm },
}

export const cngnDeposits: Kind<Cngn['deposits']['get']> = {
  path: '/cngn/deposits',
  needs: 'cngn',
  title: 'cNGN deposits',
  one: 'cNGN deposit',
  teaches: 'A deposit is an address to which a customer sends cNGN; it arrives on the customer’s balance.',
  rest: '/v1/cngn/deposits',
  transactions: { kind: 'cngn_deposit', assets: ['cNGN'], zero: ANY },
  read: (api, depositId) => api.cngn.deposits.get.query({ depositId }),
  summary: ({ amount, ...of }) => ({
    ...of,
    ...(amount ? { amount: `${amount} cNGN` as const } : { name: ANY }),
    to: 'Balance of the customer',
  }),
  states,
  instruction: (of) =>
    waits(of) ? { text: `Send cNGN on ${networkName(of.networkKey)}`, to: of.address, code: true } : undefined,
  facts: (of) => [['Transaction', of.txHash && <Copyable text={of.txHash} label="Copy the hash" />], ...common(of)],
  simulate: {
    label: 'Send a deposit in the sandbox',
    when: waits,
    calls: 'sandbox.cngn.deposit',
    run: (api, { id }) => api.sandbox.cngn.deposit.mutate({ depositId: id }),
  },
  create: { calls: 'cngn.deposits.create', Form: DepositForm },
}
