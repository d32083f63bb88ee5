import { type Provider, port } from '@payments/kernel'
import type { CallbackRequest, SqlExecutor } from '@payments/platform'
import type { Failure } from '../failure-reasons.ts'

/** The calls that a provider allows, over all processes. An adapter takes one before each request that it sends. */
export interface CallBudget {
  /** @throws cngn_provider_busy 503, with the seconds until the next call */
  take(): Promise<void>
  /** The provider refuses calls for so many seconds: no process makes one. */
  silence(seconds: number): Promise<void>
}

/** A bank of Nigeria under the central bank's code. */
export interface Bank {
  readonly code: string
  readonly name: string
}

/** An account into which naira are paid. */
export interface PaymentAccount {
  readonly accountNumber: string
  readonly accountName: string
  readonly bankName: string
  readonly bankCode: string
}

/** Money that leaves the treasury. Amounts are minor units of cNGN. */
export interface Order {
  /** Our object's id. Providers without references of their callers ignore it. */
  readonly id: string
  /** The provider's account that pays: see {@link CngnProvider.account}. */
  readonly account: string
  readonly amount: bigint
  readonly destination:
    | { readonly type: 'bank'; readonly bankCode: string; readonly accountNumber: string }
    | { readonly type: 'wallet'; readonly networkKey: string; readonly address: string }
}

/**
 * `accepted`: with the provider's own reference. `rejected`: it will not be sent, for good. `not_sent`: nothing was initiated, and
 * it can be sent again; `because` tells operators why. A thrown error says nothing: it may have been sent. `called`: the provider was
 * asked to send it, so that its list must confirm the answer before the order is sent again or its money is free; false: certainly not.
 */
export type SendResult =
  | { readonly status: 'accepted'; readonly reference: string }
  | { readonly status: 'rejected'; readonly reason: Failure; readonly called: boolean }
  | { readonly status: 'not_sent'; readonly called: boolean; readonly retryAfter: number; readonly because?: string }

/** A movement of money as the provider lists it. Amounts are minor units of `asset`. Null: this report does not say. */
export interface ProviderTransaction {
  /** The provider's own; unique in the account, and one by which it can be asked for. Of a deposit on a chain: transaction and log index. */
  readonly reference: string
  /** What else the provider calls it, such as the id of its row: a report may have one of these alone, and it is the same movement. */
  readonly aliases?: readonly string[]
  /** `reference` is not the lasting one, which a later report has: it may be a movement that is known already. */
  readonly provisional?: boolean
  readonly channel: 'bank_in' | 'crypto_in' | 'payout' | 'withdrawal'
  readonly status: 'pending' | 'completed' | 'failed'
  readonly asset: string
  readonly amount: bigint | null
  /** What the provider keeps, in `asset`. */
  readonly fee: bigint
  /** Of a deposit that is converted: what it becomes, in cNGN. */
  readonly convertedAmount: bigint | null
  /** In: references, the account number or the address that the money was sent to. Out: the account number or address. */
  readonly targets: readonly string[]
  readonly txHash: string | null
  readonly failureReason: Failure | null
  /** The provider has the order and does not report the outcome. */
  readonly outcomeUnknown: boolean
  /** It leaves out what other reports of the same movement may say, such as the narration. */
  readonly partial?: boolean
  readonly at: Date | null
}

/** Every name of a movement: it is known if any of them is. */
export const referencesOf = ({ reference, aliases = [] }: ProviderTransaction): string[] => [
  ...new Set([reference, ...aliases]),
]

/** An element of a list that does not have the documented shape: it is kept for operators, and the others count. */
export interface UnreadableRecord {
  readonly reference: string | null
  /** The first field that is wrong. */
  readonly field: string
  readonly at: Date | null
  /** The element as JSON, cut where it is long. It has no name of a person, and no account of one: the adapter takes them out. */
  readonly report: string
}

/** What a list showed. */
export interface Movements {
  readonly movements: readonly ProviderTransaction[]
  readonly unreadable?: readonly UnreadableRecord[]
  /** False: there were more than are read at once, and older ones are missing. */
  readonly complete: boolean
}

/** A list of movements. */
export interface Feed {
  /** What was created at `since` or later in the account; the newest of it, if it is too much. */
  transactions(account: string, since: Date, budget: CallBudget): Promise<Movements>
}

/**
 * The interface of the provider that holds the treasury. Calls may throw `cngn_provider_failed` (502), `cngn_provider_unavailable`
 * and `cngn_provider_busy` (503); none carries the provider's own text.
 */
export interface CngnProvider extends Provider, Feed {
  /** Calls a minute over all processes; null: no limit. */
  readonly callsPerMinute: number | null
  /** How often its list is read while something is in flight, seconds: soon after a change, then less often. */
  readonly pollSeconds: { readonly soonest: number; readonly longest: number }
  /** After this time, an order that its list does not show may not have been sent: see `unresolved.ts`. */
  readonly certainAfterSeconds: number
  /** How far apart two such lists must be. */
  readonly listsApartSeconds?: number
  /** It uses our id of an order as its reference, so the same order is never sent twice. */
  readonly knowsOrders?: boolean
  /** How long money may still arrive after the end of an object's time, seconds. */
  readonly graceSeconds: number
  /** The name of the account at the provider that an organisation's money is in: organisations may share one. */
  account(organisationId: string): string
  banks(budget: CallBudget): Promise<readonly Bank[]>
  /** The name of an account's holder; null: no such account. */
  accountName(
    account: { readonly bankCode: string; readonly accountNumber: string },
    budget: CallBudget,
  ): Promise<string | null>
  /** A one-time account for one payment of naira. `amount`, `fee`: minor units of cNGN; the payer pays `payable`. */
  openPayin(
    payin: {
      readonly id: string
      readonly reference: string
      readonly amount: bigint
      readonly email: string
      readonly name: string
    },
    budget: CallBudget,
  ): Promise<{
    readonly account: PaymentAccount
    readonly payable: bigint
    readonly providerReference: string | null
    readonly expiresAt: Date
  }>
  /** Sends money once. Never called again for an order before it is certain that nothing was sent. */
  send(order: Order, budget: CallBudget): Promise<SendResult>
  /** One movement by its reference, however old it is; null: the provider does not tell. */
  movement(
    account: string,
    reference: string,
    budget: CallBudget,
    channel?: ProviderTransaction['channel'],
  ): Promise<ProviderTransaction | null>
  /** cNGN in all accounts of the environment, minor units. */
  treasury(budget: CallBudget): Promise<bigint>
  /** True for a callback that the provider signed. It only moves the next poll forward. */
  callback?(request: CallbackRequest): boolean
}

/** A provider with an account and addresses for each customer. */
export interface CustomerAccountsProvider extends Provider, Feed {
  /** The customer's permanent account; the same for every call. */
  virtualAccount(
    customer: { readonly customerId: string; readonly name: string; readonly email: string },
    budget: CallBudget,
  ): Promise<PaymentAccount>
  /** A new address for deposits of cNGN. */
  depositAddress(
    deposit: { readonly id: string; readonly networkKey: string },
    budget: CallBudget,
  ): Promise<{ readonly address: string; readonly expiresAt: Date }>
  /** A new address whose deposits are converted into cNGN. `amount` and `fee`: minor units of `fromCurrency`. */
  convertAddress(
    convert: {
      readonly id: string
      readonly fromCurrency: string
      readonly amount: bigint
      readonly networkKey: string
    },
    budget: CallBudget,
  ): Promise<ConvertTerms & { readonly address: string; readonly expiresAt: Date }>
}

/** `rate`: cNGN for one unit of the other stablecoin, decimal text. `fee`: in the currency that is converted. */
export interface ConvertTerms {
  readonly rate: string
  readonly fee: bigint
  readonly convertedAmount: bigint
}

/** What became of cNGN that was sent to the address of a conversion. */
export interface ConvertReport {
  readonly status: 'pending' | 'completed' | 'failed' | 'refunded'
  /** In the currency that is delivered; null: as quoted. */
  readonly convertedAmount: bigint | null
  readonly txHash: string | null
  /** cNGN that came back to the treasury. */
  readonly refundedAmount: bigint | null
  readonly refundTxHash: string | null
}

/** Converts cNGN out: a withdrawal to an address, whose proceeds are delivered. */
export interface ConvertOutProvider extends Provider {
  /** The treasury's addresses, by network: what cannot be converted comes back there. */
  readonly returnAddresses?: Readonly<Record<string, string>>
  /**
   * An address of its own, with the terms. No money moves.
   * @throws capability_unavailable 503 where cNGN cannot be converted now, validation_failed 422, and the provider's 502 and 503
   */
  quote(request: {
    readonly id: string
    readonly amount: bigint
    readonly toCurrency: string
    readonly networkKey: string
    readonly destinationAddress: string
  }): Promise<ConvertTerms & { readonly networkKey: string; readonly address: string }>
  report(convert: {
    readonly networkKey: string
    readonly address: string
    readonly toCurrency: string
    readonly destinationNetworkKey: string
  }): Promise<ConvertReport>
}

/** What an identity register says of a BVN. `firstName`, `lastName`: where it returns names, ours decides. */
export interface IdentityAnswer {
  readonly outcome: 'match' | 'partial' | 'mismatch' | 'not_found' | 'unavailable'
  readonly name?: string
}

/** Verifies that a BVN belongs to a name. It never throws the BVN, nor any text of the register. */
export interface IdentityProvider extends Provider {
  /** Names are normalised: upper case, without accents and punctuation. */
  verifyBvn(question: {
    readonly bvn: string
    readonly firstName: string
    readonly lastName: string
    readonly phoneNumber: string | null
  }): Promise<IdentityAnswer>
}

/** The sandbox, with the payer's side of it. It is every provider of this domain. */
export interface SandboxCngn extends CngnProvider, CustomerAccountsProvider, ConvertOutProvider {
  /** Money arrives, as part of the caller's transaction. */
  simulateReceipt(
    db: SqlExecutor,
    receipt: {
      readonly organisationId: string
      readonly channel: 'bank_in' | 'crypto_in'
      readonly asset: string
      readonly amount: bigint
      readonly targets: readonly string[]
      readonly convertedAmount: bigint | null
      readonly fee: bigint
      readonly timesOut: boolean
    },
  ): Promise<{ readonly reference: string; readonly txHash: string | null }>
}

export const cngnProvider = port<CngnProvider, SandboxCngn>('cngn', 'Payments in cNGN are not available')
export const customerAccountsProvider = port<CustomerAccountsProvider, SandboxCngn>(
  'cngn-accounts',
  'Accounts and deposit addresses of customers for cNGN are not available',
)
export const convertOutProvider = port<ConvertOutProvider, SandboxCngn>(
  'cngn-converts',
  'Converts out of cNGN are not available',
)
export const identityProvider = port<IdentityProvider>('identity', 'Identity verification is not available')
