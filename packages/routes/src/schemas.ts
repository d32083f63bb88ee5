import { CustomerRef } from '@payments/customers'
import {
  Amount,
  allowOffCurve,
  count,
  createdAt,
  environments,
  id,
  items,
  Metadata,
  MetadataPatch,
  type NetworkType,
  nameText,
  parseAddress,
  pathId,
  providerName,
  shownText,
  text,
  time,
  total,
  updatedAt,
} from '@payments/kernel'
import { z } from 'zod'
import { failureReasons } from './failure-reasons.ts'
import { refundOwners } from './refund-owners.ts'
import { depositMachine, routeMachine } from './states.ts'

/** Numbers of the examples' ids. */
export const [ROUTE, DEPOSIT] = [10, 11]
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const SAFE = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

const Name = shownText(nameText(120)).meta({ description: 'Your name for the route', example: 'Treasury' })
const NetworkKey = (description: string, example: string) => z.string().min(1).max(40).meta({ description, example })
const Currency = (description: string) => z.string().min(1).max(12).meta({ description, example: 'USDC' })
const Address = (description: string, example: string) => z.string().min(1).max(128).meta({ description, example })

const ORIGIN = NetworkKey('Network on which payers deposit: see `GET /payment-routes/networks`', 'ethereum')
const DESTINATION = NetworkKey('Network on which deposits are delivered', 'base')

export const NewPaymentRoute = z.strictObject({
  name: Name,
  originChainKey: ORIGIN,
  originCurrency: Currency('Currency of the deposits. Default: USDC where the origin has it, else its first currency')
    .nullable()
    .optional(),
  destinationChainKey: DESTINATION,
  destinationCurrency: Currency('Currency that is delivered'),
  destinationAddress: Address('Wallet on the destination network that receives the deposits', WALLET),
  refundAddress: Address(
    'Refund address for deposits that cannot be delivered, on the origin network. Default: the refund address of the organisation, else of the service',
    SAFE,
  )
    .nullable()
    .optional(),
  allowOffCurve,
  customerId: CustomerRef.nullable().optional(),
  metadata: Metadata.optional(),
})

export const PaymentRouteId = z.strictObject({ paymentRouteId: pathId('payment route', ROUTE) })

export const PaymentRoutePatch = PaymentRouteId.extend({
  name: Name.optional(),
  metadata: MetadataPatch.optional(),
})

export const PaymentRoute = z
  .object({
    id: id('payment route', ROUTE),
    name: text('Your name for the route', 'Treasury'),
    provider: providerName,
    status: routeMachine.Status.meta({ description: 'State of the route' }),
    customerId: CustomerRef.nullable(),
    originChainKey: text('Network on which payers deposit', 'ethereum'),
    originCurrency: text('Currency of the deposits', 'USDC'),
    destinationChainKey: text('Network on which deposits are delivered', 'base'),
    destinationCurrency: text('Currency that is delivered', 'USDC'),
    destinationAddress: text('Wallet that receives the deposits', WALLET),
    refundAddress: text('Refund address for deposits that cannot be delivered', SAFE),
    depositAddress: text('Address to which payers send', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    metadata: Metadata,
    createdAt,
    updatedAt,
  })
  .meta({ id: 'PaymentRoute', description: 'An address on one network whose deposits are delivered on another' })

const leg = (network: string, amount: string) =>
  z.object({
    network: text('Network key', network),
    symbol: text('Currency symbol', 'USDC'),
    amount: text('Amount as decimal text; null while it is not known', amount).nullable(),
    amountUsd: text('Value in US dollars as decimal text; null if unknown', amount).nullable(),
  })

export const RefundTo = z
  .object({
    address: text('Address to which a refund goes; once refunded, the one that the provider used', SAFE),
    owner: z.enum(refundOwners).meta({
      description:
        'Whose address it is. `service`: the operator of this service keeps the refund until it is passed on; contact support',
      example: 'organisation',
    }),
  })
  .meta({ id: 'RefundTo', description: 'Where money that cannot be delivered goes' })

const Status = depositMachine.Status.meta({ description: 'State of the deposit' })

export const Deposit = z
  .object({
    id: id('deposit', DEPOSIT),
    paymentRouteId: id('payment route', ROUTE),
    customerId: CustomerRef.nullable(),
    provider: providerName,
    relayRequestId: text('Id of the deposit at the provider', '0x2f6e1c77'),
    status: Status,
    origin: leg('ethereum', '12.5').meta({ description: 'What the payer sent' }),
    destination: leg('base', '12.4')
      .extend({ address: text('Wallet that received it', WALLET) })
      .meta({ description: 'What was delivered' }),
    depositTxHash: text('Hash of the payer’s transaction', `0x${'9c2d0e5a'.repeat(8)}`).nullable(),
    failureReason: failureReasons.Code.nullable().meta({ description: 'Why it was not delivered' }),
    refundTo: RefundTo.nullable(),
    refundedAmount: text('What arrived of a refund, without its fees; null until it is known', '12.4').nullable(),
    relayUpdatedAt: time('When the provider last changed it'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'PaymentRouteDeposit', description: 'A deposit to a payment route' })

export const DepositId = z.strictObject({ depositId: pathId('deposit', DEPOSIT) })

export const DepositList = z.object({ deposits: items('The deposits that changed last', Deposit), total })

export const AdminDepositList = z.object({
  deposits: items(
    'The deposits that changed last',
    Deposit.extend({
      organisationId: id('organisation', 1),
      environment: z.enum(environments).meta({ description: 'Environment of the route' }),
      providerReason: text('The words of the provider', 'BLOCKED_WALLET').nullable(),
    }).meta({ id: 'AdminDeposit', description: 'A deposit of any organisation' }),
  ),
  total,
})

export const Settlement = DepositId.extend({
  outcome: z.enum(['completed', 'refunded', 'not_received']).meta({
    description:
      '`completed`: the merchant has the money. `refunded`: the payer or the merchant has it back, also where it came back to the service first. `not_received`: nothing arrived',
    example: 'refunded',
  }),
  amount: text('What was delivered, in the currency of the destination. Default: what the provider reported', '12.4')
    .max(100)
    .optional(),
  receivedAmount: text('What was received, in the currency of the origin. Default: what the provider reported', '12.5')
    .max(100)
    .optional(),
  refundedAmount: text(
    'With `refunded`: what arrived of the refund, in the currency of the origin. Default: what the provider reported',
    '12.4',
  )
    .max(100)
    .optional(),
  txHash: text('Transaction that shows it', `0x${'4'.repeat(64)}`)
    .max(128)
    .optional(),
  evidence: text('What shows it: a message of the provider, a block explorer', 'Ticket 4711 of the provider').max(500),
})

export const MissingDeposit = PaymentRouteId.extend({
  ...Settlement.omit({ depositId: true }).shape,
  receivedAmount: text('What was received, in the currency of the origin', '12.5').max(100),
  txHash: text('The payer’s transaction', `0x${'4'.repeat(64)}`)
    .min(1)
    .max(128),
})

export const Reindex = PaymentRouteId.extend({
  networkKey: text('Network to look at, with addresses of the same kind', 'arbitrum').max(40).optional(),
})
export const ReindexResult = z.object({
  found: count('In how many currencies money was found; each becomes a deposit'),
})

export const SyncResult = z.object({
  synced: count('Number of deposits that the provider reported'),
  created: count('Number of deposits that were new'),
  updated: count('Number of deposits that changed'),
})

const SYMBOLS = { description: 'Symbols of the currencies', example: ['USDC', 'USDT', 'EURC', 'ETH'] }
const NetworkShape = z
  .object({
    key: text('Network key', 'ethereum'),
    name: text('Name of the network', 'Ethereum'),
    type: z.enum(['evm', 'svm', 'tvm']).meta({ description: 'Kind of its addresses: EVM, Solana or Tron' }),
    currencies: z.array(z.string()).meta(SYMBOLS),
  })
  .meta({ id: 'Network', description: 'A network that payment routes can use' })
export const NetworkList = z.object({ networks: items('The available networks', NetworkShape), total })

export const NetworkKeyInput = z.strictObject({ networkKey: text('Network key', 'ethereum') })
export const CurrencyList = z.object({
  currencies: items(
    'The currencies of the network',
    z.object({
      symbol: text('Currency symbol', 'USDC'),
      decimals: count('Number of decimal places', 6),
      origin: z.boolean().meta({ description: 'Can be deposited on this network', example: true }),
      destination: z.boolean().meta({ description: 'Can be delivered on this network', example: true }),
    }),
  ),
  total,
})

const EXAMPLES = {
  evm: SAFE,
  svm: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
  tvm: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
} as const
const KIND = { evm: 'EVM networks', svm: 'Solana', tvm: 'Tron' } as const
const shown = (type: NetworkType) => text(`Address on ${KIND[type]}`, EXAMPLES[type]).nullable()
const AddressByType = z.object({ evm: shown('evm'), svm: shown('svm'), tvm: shown('tvm') })
export const RefundAddresses = z
  .object({
    organisation: AddressByType.meta({ description: 'The refund addresses of your organisation' }),
    service: AddressByType.meta({ description: 'Used where the organisation has none' }),
  })
  .meta({ id: 'RefundAddresses', description: 'Default refund addresses by kind of network' })

/** The types of networks that a refund address may be for. */
export const refundTypes = ['evm', 'svm', 'tvm'] as const satisfies readonly NetworkType[]

const refundAddressOf = (type: NetworkType) =>
  z
    .string()
    .min(1)
    .max(128)
    .nullable()
    .optional()
    .meta({ description: `Address on ${KIND[type]}; null removes it`, example: EXAMPLES[type] })
export const RefundAddressChange = z
  .strictObject({
    evm: refundAddressOf('evm'),
    svm: refundAddressOf('svm'),
    tvm: refundAddressOf('tvm'),
    allowOffCurve,
  })
  .superRefine((change, context) => {
    for (const type of refundTypes) {
      const parsed = change[type] ? parseAddress(type, change[type], change) : undefined
      if (parsed && 'error' in parsed) context.addIssue({ code: 'custom', path: [type], message: parsed.error })
    }
  })

/** How a sandbox deposit ends. `blocked`: the provider holds it for compliance. */
export const sandboxOutcomes = ['completed', 'failed', 'refunded', 'blocked'] as const

const Outcome = z
  .enum(sandboxOutcomes)
  .meta({ description: 'How the deposit ends; `blocked`: the provider holds it for a compliance review' })

export const SandboxDeposit = PaymentRouteId.extend({ amount: Amount, outcome: Outcome.default('completed') })
export const SandboxDepositResult = z.object({
  relayRequestId: text('Id of the deposit at the sandbox provider', '0x2f6e1c77'),
  paymentRouteId: id('payment route', ROUTE),
  amount: text('Amount as decimal text', '12.50'),
  outcome: Outcome,
})
