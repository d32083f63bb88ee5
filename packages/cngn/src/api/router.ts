import { customerErrors } from '@payments/customers'
import { noInput } from '@payments/kernel'
import { ledgerErrors } from '@payments/ledger'
import { command, query } from '@payments/platform'
import { startEnablement } from '../customers/enablement.ts'
import { errors } from '../errors.ts'
import { verifyIdentity } from '../operators/jobs.ts'
import { presentConvert, presentDeposit, presentPayin, presentPayout, presentWithdrawal } from '../resources/present.ts'
import * as schemas from '../schemas.ts'
import { createConvert, prepareConvert } from '../transfers/converts.ts'
import { createDeposit, prepareDeposit } from '../transfers/deposits.ts'
import { createPayin, preparePayin } from '../transfers/payins.ts'
import { createPayout, preparePayout } from '../transfers/payouts.ts'
import { balance, networks, virtualAccount } from '../transfers/service.ts'
import { createWithdrawal } from '../transfers/withdrawals.ts'
import { reads, TAG } from './transfer-router.ts'

const provider = [errors.cngn_provider_failed, errors.cngn_provider_unavailable, errors.cngn_provider_busy]
const enabled = [errors.cngn_not_enabled]
const out = [
  ...enabled,
  errors.cngn_insufficient_balance,
  errors.cngn_float_short,
  ledgerErrors.payout_limit_exceeded,
  ledgerErrors.payout_destination_refused,
]
const RESERVED = 'The money is reserved on the balance at once; a failure gives it back.'

export const cngnRouter = {
  networks: query({
    rest: 'GET /cngn/networks',
    access: 'read',
    tag: TAG,
    summary: 'List the networks of cNGN',
    description: 'The networks on which cNGN can be sent and received, with the contract of the token.',
    message: 'Networks retrieved',
    input: noInput,
    output: schemas.Networks,
    run: async () => networks(),
  }),
  enable: command({
    rest: 'POST /cngn/customers/{customerId}/enable',
    access: 'write',
    role: 'finance',
    tag: TAG,
    summary: 'Enable cNGN for a customer',
    description:
      'Verifies that the BVN belongs to the customer. The customer is `pending` until `cngn.customer.enabled` or `cngn.customer.failed` is sent. Send it with the consent of the customer only; the consent is recorded. The BVN is stored encrypted and deleted with the result. Three attempts a day.',
    message: 'cNGN is being enabled',
    input: schemas.EnableCustomer,
    output: schemas.Enablement,
    errors: [
      customerErrors.customer_not_found,
      customerErrors.customer_anonymised,
      errors.cngn_already_enabled,
      errors.cngn_attempts_exceeded,
    ],
    async run(unit, input) {
      const { row, reply } = await startEnablement(unit, input)
      const { id, organisationId, environment } = row
      await unit.enqueue(verifyIdentity, { id, organisationId, environment })
      return reply
    },
  }),
  virtualAccount: query({
    rest: 'GET /cngn/customers/{customerId}/virtual-account',
    access: 'read',
    tag: TAG,
    summary: 'Get the virtual account of a customer',
    description: 'Naira that are paid into it arrive in the balance, each transfer as a payin.',
    message: 'Virtual account retrieved',
    input: schemas.CustomerId,
    output: schemas.VirtualAccount,
    errors: [customerErrors.customer_not_found, ...enabled, errors.cngn_provider_unavailable],
    run: (context, { customerId }) => virtualAccount(context, customerId),
  }),
  balance: query({
    rest: 'GET /cngn/customers/{customerId}/balance',
    access: 'read',
    tag: TAG,
    summary: 'Get the cNGN balance of a customer',
    description: 'From the journal. Reserved money is in neither amount.',
    message: 'Balance retrieved',
    input: schemas.CustomerId,
    output: schemas.Balance,
    errors: [customerErrors.customer_not_found, ...enabled],
    run: (context, { customerId }) => balance(context, customerId),
  }),
  converts: {
    ...reads({
      kind: 'convert',
      plural: 'converts',
      Id: schemas.ConvertId,
      schema: schemas.Convert,
      list: schemas.Converts,
      present: presentConvert,
    }),
    create: command({
      rest: 'POST /cngn/converts',
      access: 'write',
      role: 'finance',
      tag: TAG,
      summary: 'Convert to cNGN or from it',
      description: `Into cNGN: send \`deposit.amount\` to \`deposit.address\`; what arrives is converted into the balance. Out of cNGN: the balance is converted and delivered to \`destinationAddress\`. ${RESERVED}`,
      message: 'Convert created',
      status: 201,
      input: schemas.NewConvert,
      output: schemas.Convert,
      errors: [...out, ...provider],
      callsProvider: true,
      before: prepareConvert,
      run: async (unit, input, prepared) => presentConvert(await createConvert(unit, input, prepared)),
    }),
  },
  withdrawals: {
    ...reads({
      kind: 'withdrawal',
      plural: 'withdrawals',
      Id: schemas.WithdrawalId,
      schema: schemas.Withdrawal,
      list: schemas.Withdrawals,
      present: presentWithdrawal,
    }),
    create: command({
      rest: 'POST /cngn/withdrawals',
      access: 'write',
      role: 'finance',
      tag: TAG,
      summary: 'Send cNGN to a wallet',
      description: RESERVED,
      message: 'Withdrawal created',
      status: 201,
      input: schemas.NewWithdrawal,
      output: schemas.Withdrawal,
      errors: out,
      run: async (unit, input) => presentWithdrawal(await createWithdrawal(unit, input)),
    }),
  },
  payouts: {
    ...reads({
      kind: 'payout',
      plural: 'payouts',
      Id: schemas.PayoutId,
      schema: schemas.Payout,
      list: schemas.Payouts,
      present: presentPayout,
    }),
    create: command({
      rest: 'POST /cngn/payouts',
      access: 'write',
      role: 'finance',
      tag: TAG,
      summary: 'Pay cNGN out to a Nigerian bank account',
      description: `One naira for one cNGN. The bank is asked for the name of the holder, which is kept in \`accountCheck\`. ${RESERVED}`,
      message: 'Payout created',
      status: 201,
      input: schemas.NewPayout,
      output: schemas.Payout,
      errors: [...out, errors.cngn_reference_used, ...provider],
      before: preparePayout,
      run: async (unit, input, prepared) => presentPayout(await createPayout(unit, input, prepared)),
    }),
  },
  payins: {
    ...reads({
      kind: 'payin',
      plural: 'payins',
      Id: schemas.PayinId,
      schema: schemas.Payin,
      list: schemas.Payins,
      present: presentPayin,
    }),
    create: command({
      rest: 'POST /cngn/payins',
      access: 'write',
      role: 'finance',
      tag: TAG,
      summary: 'Receive naira as cNGN',
      description:
        'Opens a one-time account. Tell the payer the account, the amount and, for the narration, the reference. One payment is accepted; a later one is held for the operator.',
      message: 'Payin created',
      status: 201,
      input: schemas.NewPayin,
      output: schemas.Payin,
      errors: [...enabled, ...provider],
      callsProvider: true,
      before: preparePayin,
      run: async (unit, input, prepared) => presentPayin(createPayin(unit, input, prepared)),
    }),
  },
  deposits: {
    ...reads({
      kind: 'deposit',
      plural: 'deposits',
      Id: schemas.DepositId,
      schema: schemas.CngnDeposit,
      list: schemas.Deposits,
      present: presentDeposit,
    }),
    create: command({
      rest: 'POST /cngn/deposits',
      access: 'write',
      role: 'finance',
      tag: TAG,
      summary: 'Receive cNGN at a new address',
      description:
        'The first deposit moves the object on. Each later one, also after it expired, appears as an object of its own.',
      message: 'Deposit created',
      status: 201,
      input: schemas.NewDeposit,
      output: schemas.CngnDeposit,
      errors: [...enabled, ...provider],
      callsProvider: true,
      before: prepareDeposit,
      run: async (unit, input, prepared) => presentDeposit(createDeposit(unit, input, prepared)),
    }),
  },
}
