import type { Outputs } from '@payments/client'
import { networkName, words } from '../../../parts/format.ts'
import { FIAT } from '../../../parts/lists/transactions.ts'
import { titleOf } from '../../../parts/object/fields.ts'
import { Amount, Copyable, Status, Time } from '../../../parts/parts.tsx'
import { OfframpForm } from '../forms/offramp-form.tsx'
import { OnrampForm } from '../forms/onramp-form.tsx'
import { SwapForm } from '../forms/swap-form.tsx'
import type { Fact, Kind } from '../kind.ts'

type Offramp = Outputs['offramps']['get']
type Onramp = Outputs['onramps']['get']
type Swap = Outputs['swaps']['get']

/** The end of an account number, as lists show it. */
const masked = (account: string): string => `•••• ${account.slice(-4)}`

/** What goes back to the payer of a failed order, to where. */
function refundOf({ refund, sourceCurrency }: Offramp | Onramp): readonly Fact[] {
  if (!refund) return []
  const to = 'address' in refund ? refund.address : refund.accountNumber
  return [
    [
      titleOf('refund'),
      <>
        {refund.amount && <Amount of={`${refund.amount} ${sourceCurrency}`} />} <Status of={refund.status} />
      </>,
    ],
    [titleOf('refundTo'), to && <Copyable text={to} label="Copy where the refund goes" />],
    [titleOf('refundTxHash'), refund.txHash && <Copyable text={refund.txHash} label="Copy the hash" />],
  ]
}

export const offramps: Kind<Offramp> = {
  path: '/offramps',
  needs: 'fiat',
  title: 'Offramps',
  one: 'offramp',
  teaches:
    'An offramp turns stablecoin into local money in a bank account or a mobile wallet. You see the rate and the fee before, and the name that the bank has for the account.',
  rest: '/v1/offramps',
  transactions: { kind: 'offramp', assets: ['USDC', 'USDT'] },
  read: (api, orderId) => api.offramps.get.query({ orderId }),
  summary: (of) => ({
    id: of.id,
    amount: `${of.amount} ${of.sourceCurrency}`,
    status: of.status,
    to: `${of.bankAccount.accountName}, ${of.bankAccount.bankName} ${masked(of.bankAccount.accountNumber)}`,
    createdAt: of.createdAt,
  }),
  states: { pending: 'step', processing: 'step', settled: 'step', delivered: 'step', failed: 'beside' },
  instruction: ({ status, deposit }) =>
    status === 'pending'
      ? {
          text: `Send it on ${networkName(deposit.networkKey)}`,
          to: deposit.address,
          code: true,
          amount: `${deposit.amount} ${deposit.currency}`,
          until: deposit.expiresAt,
        }
      : undefined,
  facts: (of) => [
    [
      titleOf('convertedAmount'),
      of.status !== 'failed' && <Amount key="receives" of={`${of.convertedAmount} ${of.destinationCurrency}`} />,
    ],
    [titleOf('rate'), <Amount key="rate" of={`${of.rate} ${of.destinationCurrency} for 1 ${of.sourceCurrency}`} />],
    [titleOf('fee'), <Amount key="fee" of={`${of.fee} ${of.sourceCurrency}`} />],
    [titleOf('accountCheck'), <Evidence key="name" of={of.accountCheck} at={of.bankAccount.bankName} />],
    [
      titleOf('depositedAmount'),
      of.depositedAmount && <Amount key="arrived" of={`${of.depositedAmount} ${of.sourceCurrency}`} />,
    ],
    [titleOf('depositTxHash'), of.depositTxHash && <Copyable text={of.depositTxHash} label="Copy the hash" />],
    [titleOf('estimatedSettlement'), of.estimatedSettlement && <Time at={of.estimatedSettlement} />],
    [titleOf('failureReason'), of.failureReason && words(of.failureReason)],
    ...refundOf(of),
    [titleOf('reference'), of.reference],
  ],
  simulate: {
    label: 'Send the deposit in the sandbox',
    when: ({ status }) => status === 'pending',
    calls: 'sandbox.offramps.deposit',
    run: (api, { id }) => api.sandbox.offramps.deposit.mutate({ orderId: id }),
  },
  create: { calls: 'offramps.create', Form: OfframpForm },
}

/** What the bank said about the name of an account when the order was created. */
export function Evidence({ of, at }: { of: Offramp['accountCheck']; at: string }) {
  const said = {
    verified: `Name confirmed by ${at}: ${of.accountName}`,
    mismatch: `${at} has another name: ${of.accountName}`,
    unresolved: `${at} could not confirm the name`,
  }
  return (
    <>
      {said[of.status]}{' '}
      <span className="hint">
        · checked <Time at={of.checkedAt} />
      </span>
    </>
  )
}

export const onramps: Kind<Onramp> = {
  path: '/onramps',
  needs: 'fiat',
  title: 'Onramps',
  one: 'onramp',
  teaches: 'An onramp turns a bank transfer into stablecoin in a wallet.',
  rest: '/v1/onramps',
  transactions: { kind: 'onramp', assets: FIAT },
  read: (api, orderId) => api.onramps.get.query({ orderId }),
  summary: (of) => ({
    id: of.id,
    amount: `${of.amount} ${of.sourceCurrency}`,
    status: of.status,
    to: `${networkName(of.networkKey)} ${of.destinationAddress}`,
    createdAt: of.createdAt,
  }),
  states: { awaiting_payment: 'step', processing: 'step', delivered: 'step', expired: 'beside', failed: 'beside' },
  instruction: ({ status, sourceCurrency, paymentAccount: account }) =>
    status === 'awaiting_payment'
      ? {
          text: `Transfer it to ${account.accountName}, ${account.bankName}`,
          to: account.accountNumber,
          amount: `${account.amount} ${sourceCurrency}`,
          facts: [[titleOf('reference'), account.reference]],
          until: account.expiresAt,
        }
      : undefined,
  facts: (of) => [
    [
      titleOf('convertedAmount'),
      of.status !== 'failed' && <Amount key="receives" of={`${of.convertedAmount} ${of.destinationCurrency}`} />,
    ],
    [titleOf('rate'), <Amount key="rate" of={`${of.rate} ${of.sourceCurrency} for 1 ${of.destinationCurrency}`} />],
    [titleOf('fee'), <Amount key="fee" of={`${of.fee} ${of.sourceCurrency}`} />],
    ['Transaction of the delivery', of.txHash && <Copyable text={of.txHash} label="Copy the hash" />],
    [titleOf('failureReason'), of.failureReason && words(of.failureReason)],
    ...refundOf(of),
    [titleOf('reference'), of.reference],
  ],
  simulate: {
    label: 'Make the transfer in the sandbox',
    when: ({ status }) => status === 'awaiting_payment',
    calls: 'sandbox.onramps.payment',
    run: (api, { id }) => api.sandbox.onramps.payment.mutate({ orderId: id }),
  },
  create: { calls: 'onramps.create', Form: OnrampForm },
}

export const swaps: Kind<Swap> = {
  path: '/swaps',
  needs: 'swaps',
  title: 'Swaps',
  one: 'swap',
  teaches: 'A swap turns EURC into USDC on Solana, or back, at the price of the moment at which the deposit arrives.',
  rest: '/v1/swaps',
  transactions: { kind: 'swap', assets: ['USDC', 'EURC'] },
  read: (api, swapId) => api.swaps.get.query({ swapId }),
  summary: (of) => ({
    id: of.id,
    amount: `${of.amount} ${of.fromCurrency}`,
    status: of.status,
    to: `${of.toCurrency} to ${of.destinationAddress}`,
    createdAt: of.createdAt,
  }),
  states: {
    awaiting_deposit: 'step',
    swapping: 'step',
    completed: 'step',
    failed: 'beside',
    expired: 'beside',
    cancelled: 'beside',
    refunded: 'beside',
  },
  instruction: (of) =>
    of.status === 'awaiting_deposit'
      ? {
          text: 'Send it on Solana',
          to: of.depositAddress,
          code: true,
          amount: `${of.amount} ${of.fromCurrency}`,
          until: of.expiresAt,
        }
      : undefined,
  facts: (of) => [
    [titleOf('expectedAmount'), <Amount key="expected" of={`${of.expectedAmount} ${of.toCurrency}`} />],
    [titleOf('minimumAmount'), <Amount key="least" of={`${of.minimumAmount} ${of.toCurrency}`} />],
    [
      titleOf('receivedAmount'),
      of.receivedAmount && <Amount key="received" of={`${of.receivedAmount} ${of.toCurrency}`} />,
    ],
    [titleOf('rate'), <Amount key="rate" of={`${of.rate} ${of.toCurrency} for 1 ${of.fromCurrency}`} />],
    [titleOf('fees'), of.fees && <Amount key="fees" of={`${of.fees} ${of.toCurrency}`} />],
    [titleOf('depositTxHash'), of.depositTxHash && <Copyable text={of.depositTxHash} label="Copy the hash" />],
    [titleOf('swapTxHash'), of.swapTxHash && <Copyable text={of.swapTxHash} label="Copy the hash" />],
    [titleOf('refundTxHash'), of.refundTxHash && <Copyable text={of.refundTxHash} label="Copy the hash" />],
    [titleOf('failureReason'), of.failureReason && words(of.failureReason)],
  ],
  simulate: {
    label: 'Send the deposit in the sandbox',
    when: ({ status }) => status === 'awaiting_deposit',
    calls: 'sandbox.swaps.deposit',
    run: (api, { id }) => api.sandbox.swaps.deposit.mutate({ swapId: id }),
  },
  cancel: {
    label: 'Cancel the swap',
    question: 'A deposit that still arrives is sent back to the refund address.',
    when: ({ status }) => status === 'awaiting_deposit',
    calls: 'swaps.cancel',
    run: (api, { id }) => api.swaps.cancel.mutate({ swapId: id }),
  },
  create: { calls: 'swaps.create', Form: SwapForm },
}
