import { Amount, environments, Metadata, MetadataPatch, type NetworkType, parseAddress } from '@payments/kernel'
import { z } from 'zod'
import { failureReasons } from './failure-reasons.ts'
import { depositMachine, routeMachine } from './states.ts'

const Key = z.string().min(1).max(40)
const Ticker = z.string().min(1).max(12)
const Address = z.string().min(1).max(128)

const Name = z.string().trim().min(1).max(120).meta({ description: 'Name for you', example: 'Treasury top-up' })

export const NewPaymentRoute = z.strictObject({
  name: Name,
  originChainKey: Key.meta({ example: 'ethereum' }),
  originCurrency: Ticker.nullable().optional().meta({
    description: 'Default: USDC where the origin has it, else its first currency',
  }),
  destinationChainKey: Key.meta({ example: 'base' }),
  destinationCurrency: Ticker.meta({ example: 'USDC' }),
  destinationAddress: Address.meta({ example: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' }),
  refundAddress: Address.nullable().optional().meta({
    description:
      'Refund address for deposits that cannot be delivered. Default: the refund address of the organisation, else of the service',
  }),
  customerId: z.uuid('Must be a UUID').nullable().optional(),
  metadata: Metadata.optional(),
})

export const PaymentRoutePatch = z.strictObject({
  paymentRouteId: z.string(),
  name: Name.optional(),
  metadata: MetadataPatch.optional(),
})

export const PaymentRouteId = z.strictObject({ paymentRouteId: z.string() })

export const PaymentRoute = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: routeMachine.Status,
    customerId: z.uuid().nullable(),
    originChainKey: z.string(),
    originCurrency: z.string(),
    destinationChainKey: z.string(),
    destinationCurrency: z.string(),
    destinationAddress: z.string(),
    refundAddress: z.string(),
    depositAddress: z.string(),
    metadata: Metadata,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'PaymentRoute' })

const Leg = z.object({
  network: z.string(),
  symbol: z.string(),
  amount: z.string().nullable(),
  amountUsd: z.string().nullable(),
})

export const Deposit = z
  .object({
    id: z.uuid(),
    paymentRouteId: z.uuid(),
    customerId: z.uuid().nullable(),
    relayRequestId: z.string(),
    status: depositMachine.Status,
    origin: Leg,
    destination: Leg.extend({ address: z.string() }),
    depositTxHash: z.string().nullable(),
    failureReason: failureReasons.Code.nullable(),
    relayUpdatedAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'PaymentRouteDeposit' })

export const DepositId = z.strictObject({ depositId: z.string() })

export const DepositList = z.object({ deposits: z.array(Deposit), total: z.number().int() })

export const AdminDepositList = z.object({
  deposits: z.array(
    Deposit.extend({
      organisationId: z.uuid(),
      environment: z.enum(environments),
      providerReason: z.string().nullable().meta({ description: 'The words of the provider' }),
    }).meta({ id: 'AdminDeposit' }),
  ),
  total: z.number().int(),
})

export const SyncResult = z.object({
  synced: z.number().int().meta({ description: 'Number of deposits that the provider reported' }),
  created: z.number().int(),
  updated: z.number().int(),
})

const NetworkShape = z
  .object({ key: z.string(), name: z.string(), type: z.enum(['evm', 'svm', 'tvm']), currencies: z.array(z.string()) })
  .meta({ id: 'Network' })
export const NetworkList = z.object({ networks: z.array(NetworkShape), total: z.number().int() })
export const CurrencyList = z.object({
  currencies: z.array(
    z.object({
      symbol: z.string(),
      decimals: z.number().int(),
      origin: z.boolean().meta({ description: 'Can be deposited on this network' }),
      destination: z.boolean().meta({ description: 'Can be delivered on this network' }),
    }),
  ),
  total: z.number().int(),
})

const AddressByType = z.object({ evm: z.string().nullable(), svm: z.string().nullable(), tvm: z.string().nullable() })
export const RefundAddresses = z
  .object({
    organisation: AddressByType,
    service: AddressByType.meta({ description: 'Used where the organisation has none' }),
  })
  .meta({ id: 'RefundAddresses' })

const refundAddressOf = (type: NetworkType) =>
  z
    .string()
    .max(128)
    .transform((text, context) => {
      const parsed = parseAddress(type, text)
      if ('address' in parsed) return parsed.address
      context.addIssue({ code: 'custom', message: parsed.error })
      return z.NEVER
    })
    .nullable()
    .optional()
export const RefundAddressChange = z.strictObject({
  evm: refundAddressOf('evm'),
  svm: refundAddressOf('svm'),
  tvm: refundAddressOf('tvm'),
})

/** How a sandbox deposit ends. `blocked`: the provider holds it for compliance. */
export const sandboxOutcomes = ['completed', 'failed', 'refunded', 'blocked'] as const

export const SandboxDeposit = z.strictObject({
  paymentRouteId: z.string(),
  amount: Amount,
  outcome: z.enum(sandboxOutcomes).default('completed'),
})
export const SandboxDepositResult = z.object({
  relayRequestId: z.string(),
  paymentRouteId: z.uuid(),
  amount: z.string(),
  outcome: z.string(),
})
