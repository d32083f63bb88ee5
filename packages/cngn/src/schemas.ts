import { CustomerRef } from '@payments/customers'
import { AccountCheck } from '@payments/fiat'
import {
  Amount,
  allowOffCurve,
  count,
  createdAt,
  exampleId,
  id,
  items,
  Metadata,
  pathId,
  personal,
  text,
  time,
  total,
} from '@payments/kernel'
import { z } from 'zod'
import { failures } from './failure-reasons.ts'
import { account, common, Deposit, EXAMPLES, Input, networkText, txHash, units, WALLET } from './kinds/fields.ts'
import { CNGN, stablecoins } from './kinds/kinds.ts'
import { approvalStatuses } from './states.ts'

export const CustomerId = z.strictObject({ customerId: pathId('customer', 20) })
export const ListInput = z.strictObject({ customerId: CustomerRef.optional() })

export const Networks = z.object({
  networks: items(
    'The networks of cNGN',
    z.object({
      key: networkText('Network key'),
      name: text('Name of the network', 'Base'),
      type: text('Kind of address: `evm`, `svm` or `tvm`', 'evm'),
      contract: text('Contract of the token', '0x46C85152bFe9f96829aA94755D9f915F9B10EF5F'),
      decimals: count('Number of decimal places', 6),
    }),
  ),
  total,
})

export const EnableCustomer = CustomerId.extend({
  bvn: personal(
    z
      .string()
      .regex(/^\d{11}$/, 'Must be 11 digits')
      .meta({ description: 'Bank verification number of the customer; 11 digits', example: '22212345678' }),
  ),
  email: personal(
    z.email().max(254).optional().meta({ description: 'Default: the customer’s', example: 'ada@example.com' }),
  ),
  phoneNumber: personal(
    z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, 'Must be a phone number in E.164 form, such as +2348012345678')
      .nullable()
      .optional()
      .meta({ description: 'Phone number in E.164 form; default: the customer’s', example: '+2348012345678' }),
  ),
  firstName: personal(Input(100, 'Default: the first word of the customer’s name', 'Ada').optional()),
  lastName: personal(Input(100, 'Default: the last word of the customer’s name', 'Obi').optional()),
})
export const Enablement = z
  .object({
    customerId: CustomerRef,
    status: z.enum(['pending', 'enabled', 'failed']).meta({ description: 'Whether the customer can use cNGN' }),
    failureReason: text('Why the identity could not be verified', 'customer_name_bvn_mismatch').nullable(),
    bvnLastDigits: personal(text('The last two digits of the BVN', '78')),
  })
  .meta({ id: 'CngnEnablement', description: 'The enablement of cNGN for a customer' })

export const VirtualAccount = z
  .object({
    ...account,
    currency: z.literal('NGN').meta({ description: 'Currency of the account' }),
    permanent: z.boolean().meta({ description: 'It can be paid into any number of times', example: true }),
  })
  .meta({ id: 'CngnVirtualAccount', description: 'The account into which a customer is paid naira' })
export const Balance = z
  .object({
    available: units('What can be sent, in cNGN', '25000'),
    pending: units('What has arrived and is being processed, in cNGN', '0'),
  })
  .meta({ id: 'CngnBalance', description: 'The cNGN of a customer' })

const amount = Amount.meta({ description: 'cNGN to send', example: '25000' })
const base = { customerId: CustomerRef, metadata: Metadata.optional() }
const Currency = (description: string, example: string) => z.enum([...stablecoins, CNGN]).meta({ description, example })
const wallet = (description: string) => Input(128, description, WALLET)

export const NewConvert = z
  .strictObject({
    ...base,
    fromCurrency: Currency('What is converted', 'USDC'),
    toCurrency: Currency('What it becomes; one of the two is cNGN', 'cNGN'),
    amount: Amount.meta({ description: 'What is converted, in `fromCurrency`', example: '100' }),
    networkKey: Input(40, 'Network of the deposit or, out of cNGN, of the delivery', 'base'),
    destinationAddress: wallet('Out of cNGN: the wallet that receives `toCurrency`; else absent').nullable().optional(),
    refundAddress: wallet('Into cNGN: where a deposit goes back to that cannot be converted; else absent')
      .nullable()
      .optional(),
    allowOffCurve,
  })
  // The parts of both directions do not belong together.
  .meta({
    example: {
      customerId: exampleId(20),
      fromCurrency: 'USDC',
      toCurrency: CNGN,
      amount: '100',
      networkKey: 'base',
      refundAddress: WALLET,
      metadata: { orderNumber: '1042' },
    },
  })
export const NewWithdrawal = z.strictObject({
  ...base,
  amount,
  networkKey: Input(40, 'Network: see `GET /cngn/networks`', 'base'),
  address: wallet('Wallet that receives the cNGN'),
  allowOffCurve,
})
export const NewPayout = z.strictObject({
  ...base,
  amount: Amount.meta({ description: 'cNGN to pay out, two decimals at most; one naira each', example: '25000' }),
  bankAccount: z
    .strictObject({
      accountNumber: personal(Input(40, 'Ten digits (NUBAN)', '0123456789')),
      bankCode: Input(20, 'Code of the bank: see `GET /fiat/currencies/NGN/banks`', '058'),
      accountName: personal(Input(200, 'Name of the holder', 'Ada Obi').nullable().optional()),
    })
    .meta({
      description: 'The Nigerian account that receives the naira',
      example: { accountNumber: '0123456789', bankCode: '058', accountName: 'Ada Obi' },
    }),
  reference: Input(100, 'Your own reference, unique among payouts', 'payroll-17').nullable().optional(),
})
export const NewPayin = z.strictObject({
  ...base,
  amount: Amount.meta({ description: 'cNGN to receive, two decimals at most; one naira each', example: '25000' }),
})
export const NewDeposit = z.strictObject({
  ...base,
  networkKey: Input(40, 'Network: see `GET /cngn/networks`', 'base'),
})

const cngn = (description: string) => units(description, '25000')
const fee = (where: string) => units(`Fee of the provider ${where}`, '0')

/** Of money out that is at or above the organisation's limit for approvals: see `PATCH /payout-controls`. */
const approvalFields = {
  id: id('approval', EXAMPLES.payout),
  status: z.enum(approvalStatuses).meta({ description: 'Where the approval stands', example: 'waiting' }),
  requestedBy: z
    .uuid()
    .nullable()
    .meta({
      description: 'The user who asked, and may not answer; null: an API key did',
      example: exampleId(3),
    }),
  decidedBy: z
    .uuid()
    .nullable()
    .meta({ description: 'The user who answered; null: nobody has', example: exampleId(4) }),
  expiresAt: time('Unanswered then, it fails with `approval_expired`'),
}
const approval = z.object(approvalFields).nullable().meta({
  description: 'Whether a second person must approve it: while it is `waiting`, nothing is sent; null: nobody has to',
})

export const PayoutApproval = z
  .object({
    ...approvalFields,
    kind: z.enum(['payout', 'withdrawal', 'convert']).meta({ description: 'What is sent', example: 'payout' }),
    objectId: id('payout, withdrawal or convert', EXAMPLES.payout),
    customerId: CustomerRef,
    amount: units('What leaves the balance', '25000'),
    currency: text('Its currency', CNGN),
    destination: text('Where it goes', 'Guaranty Trust Bank ******6789'),
    providerOutcome: z.enum(['unknown']).nullable().meta({
      description:
        '`unknown`: whether it was sent already is being checked with the provider, because the database was restored; nobody can answer before',
      example: null,
    }),
    createdAt,
  })
  .meta({ id: 'PayoutApproval', description: 'Money out that a second person answers' })
const ListedPayoutApproval = PayoutApproval.extend({
  requestedByEmail: personal(
    z.email().nullable().meta({
      description:
        'Email address of the member who asked, as members see it; null for API keys, and where an API key asked',
      example: 'ada@example.com',
    }),
  ),
}).meta({ id: 'ListedPayoutApproval', description: 'Money out that a second person answers, with who asked for it' })
export const PayoutApprovals = z.object({ approvals: items('The newest ones', ListedPayoutApproval), total })
export const PayoutApprovalsInput = z.strictObject({
  status: z
    .enum(approvalStatuses)
    .meta({ description: 'Only approvals with this status', example: 'waiting' })
    .optional(),
})
export const PayoutApprovalId = z.strictObject({ approvalId: pathId('approval', EXAMPLES.payout) })

export const Convert = z
  .object({
    ...common('convert', units('What is converted, in `fromCurrency`', '100'), failures.convert),
    fromCurrency: text('What is converted', 'USDC'),
    toCurrency: text('What it becomes', 'cNGN'),
    fee: fee('in `fromCurrency`, taken from `amount`'),
    convertedAmount: units('What it becomes, in `toCurrency`', '157234.875'),
    rate: units('cNGN for one unit of the other stablecoin', '1580.25'),
    deposit: Deposit.meta({ description: 'Into cNGN: the deposit that starts the conversion; else null' }),
    depositTxHash: txHash('deposit'),
    networkKey: networkText('Network of the deposit or delivery'),
    destinationAddress: text('Wallet that receives `toCurrency`', WALLET).nullable(),
    refundAddress: text('Where the deposit goes back to', WALLET).nullable(),
    refundTxHash: txHash('refund'),
    txHash: txHash('delivery'),
    approval,
  })
  .meta({ id: 'CngnConvert', description: 'A conversion between cNGN and another stablecoin' })
export const Withdrawal = z
  .object({
    ...common('withdrawal', cngn('What leaves the balance, in cNGN'), failures.withdrawal),
    fee: fee('in cNGN, taken from `amount`'),
    networkKey: networkText('Network of the wallet'),
    address: text('Wallet that receives the cNGN', WALLET),
    txHash: txHash('withdrawal'),
    approval,
  })
  .meta({ id: 'CngnWithdrawal', description: 'cNGN that is sent to a wallet' })
export const Payout = z
  .object({
    ...common('payout', cngn('What leaves the balance, in cNGN'), failures.payout),
    fee: fee('in cNGN, taken from `amount`'),
    bankAccount: z
      .object({
        ...account,
        accountName: personal(text('Name of the holder, as given; else as the bank returns it', 'Ada Obi')),
      })
      .meta({ description: 'The account that receives the naira' }),
    accountCheck: AccountCheck.meta({ description: 'What was known of the account when the payout was created' }),
    reference: text('Your own reference', 'payroll-17').nullable(),
    approval,
  })
  .meta({ id: 'CngnPayout', description: 'cNGN that is paid to a Nigerian bank account as naira' })
export const Payin = z
  .object({
    ...common('payin', cngn('What is paid, in cNGN; what arrived, once it has'), failures.payin),
    fee: fee('in cNGN, taken from `amount`'),
    account: z
      .object({
        ...account,
        amount: units('What to pay; null for any amount', '25000').nullable(),
        expiresAt: time('The payment must arrive before; null for a permanent account').nullable(),
      })
      .meta({ description: 'Where to pay' }),
    reference: text(
      'For the narration of the payment; null if it was paid into the permanent account',
      'PIN-0004K7Q2M9X3TAB',
    ).nullable(),
    relatedPayinId: text(
      'The payin to whose one-time account this transfer was made, though it was paid already or had ended; null for every other payin',
      exampleId(93),
    ).nullable(),
  })
  .meta({ id: 'CngnPayin', description: 'Naira that arrive as cNGN' })
export const CngnDeposit = z
  .object({
    ...common('deposit', cngn('What arrived, in cNGN; null before').nullable(), failures.deposit),
    fee: fee('in cNGN, taken from `amount`'),
    networkKey: networkText('Network of the address'),
    address: text('Address to which the payer sends cNGN', WALLET),
    txHash: txHash('deposit'),
  })
  .meta({ id: 'CngnDeposit', description: 'cNGN that arrives on a network' })

const list = <N extends string, T extends z.ZodType>(name: N, item: T) =>
  z.object({ [name]: items('The newest ones', item), total } as { [K in N]: z.ZodArray<T> } & { total: typeof total })

export const Converts = list('converts', Convert)
export const Withdrawals = list('withdrawals', Withdrawal)
export const Payouts = list('payouts', Payout)
export const Payins = list('payins', Payin)
export const Deposits = list('deposits', CngnDeposit)

export const ConvertId = z.strictObject({ convertId: pathId('convert', EXAMPLES.convert) })
export const WithdrawalId = z.strictObject({ withdrawalId: pathId('withdrawal', EXAMPLES.withdrawal) })
export const PayoutId = z.strictObject({ payoutId: pathId('payout', EXAMPLES.payout) })
export const PayinId = z.strictObject({ payinId: pathId('payin', EXAMPLES.payin) })
export const DepositId = z.strictObject({ depositId: pathId('deposit', EXAMPLES.deposit) })

const arriving = Amount.meta({ description: 'What arrives', example: '25000' })
export const SandboxBankTransfer = CustomerId.extend({ amount: arriving })
export const SandboxPayinPayment = PayinId.extend({ amount: arriving.optional() })
export const SandboxDeposit = DepositId.extend({ amount: arriving.optional() })
export const SandboxConvertDeposit = ConvertId.extend({ amount: arriving.optional() })
export const SandboxReceipt = z.object({
  amount: units('What arrives', '25000'),
  currency: text('Its currency', 'NGN'),
  txHash: txHash('deposit'),
})
