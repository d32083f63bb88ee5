import { createBankTransfer } from '@payments/fiat'
import {
  type AssetSymbol,
  addressField,
  amountField,
  assets,
  invalid,
  type Mistakes,
  networkOf,
  newId,
  ServiceError,
  system,
} from '@payments/kernel'
import {
  actingFor,
  type CallContext,
  createResource,
  move,
  type QueryContext,
  queryContext,
  refuseOwnAddresses,
  type Stranger,
  strangerAt,
  type UnitOfWork,
  updateResource,
} from '@payments/platform'
import {
  type AvailableNetwork,
  availableNetworks,
  createHiddenRoute,
  type PreparedHiddenRoute,
  prepareHiddenRoute,
  watchHiddenRoute,
} from '@payments/routes'
import type { z } from 'zod'
import { expireSession, lockedCollection, lockedSession } from '../collections/changes.ts'
import { checkOpenSessions, clientOf, startWithCommit } from '../collections/limits.ts'
import { type CollectionRow, type SessionRow, sessionResource } from '../entity.ts'
import { errors } from '../errors.ts'
import { findTarget, isPayable } from '../payer/payer.ts'
import type { PayAction } from '../schemas.ts'
import { SESSION_MINUTES } from '../settings.ts'
import { optionsOf } from '../terms/options.ts'
import { addressUse, missingAmount } from '../terms/policy.ts'
import { type HeldPrice, held, PRICE_RETRY_SECONDS } from '../terms/prices.ts'
import { openAccount, type PreparedTransfer, prepareTransfer } from '../terms/transfers.ts'
import { sessionToReuse } from './choices/reuse.ts'

type Input = z.output<typeof PayAction>

/** A checked start, with the deposit address and the bank account that providers gave for it. */
interface PreparedSession {
  readonly collection: CollectionRow
  readonly route: PreparedHiddenRoute
  /** For a payer who transfers. */
  readonly transfer: PreparedTransfer | null
  readonly targetAmount: bigint
  readonly price: HeldPrice | null
  readonly refundAddress: string | null
  readonly client: string
}

/** A session that has started, with a bank account for it. `transfer` is undefined where what it has is still good. */
interface PreparedAccount {
  readonly session: SessionRow
  readonly transfer: PreparedTransfer | undefined
}

export type PreparedStart = PreparedSession | PreparedAccount

/**
 * Checks a start and gets a deposit address, before the transaction. Repeating it gets another address and moves no money.
 * @throws collection_not_found 404, payments_unavailable 403, collection_closed 409, too_many_sessions 429, validation_failed 422, and
 * the provider's 502 and 503
 */
export async function prepareStart(context: QueryContext, input: Input, call: CallContext): Promise<PreparedStart> {
  const { collection, session, merchant } = await findTarget(context, input.collectionId)
  if (merchant.suspended) throw errors.payments_unavailable()
  const actor = system(collection.organisationId, collection.environment)
  const merchantContext = queryContext(context.runtime, actor, context.log)
  const stranger = strangerOf(context, collection, call)
  const transfers = input.method === 'bank_transfer'
  if (transfers && session && takesTransfers(session)) {
    // Nothing more is asked for, whatever the session says.
    if (isOver(collection)) throw errors.collection_closed()
    return prepareAccount(merchantContext, { collection, session, stranger }, input)
  }
  if (!isPayable(collection)) throw errors.collection_closed()
  const client = clientOf(collection.id, call.ip)
  // Asked for together: one packet.
  const checked = checkOpenSessions(merchantContext, collection.id, client)
  const networks = availableNetworks(merchantContext, addressUse(collection.paymentPolicy))
  networks.catch(() => undefined)
  await checked
  const wrong: Mistakes = {}
  const choice = chosen(await networks, collection, input, wrong)
  const { targetAmount, price } = await targetOf(merchantContext, collection, input, wrong)
  const refundAddress = refundOf(collection, input, wrong)
  if (input.refundBankAccount && !transfers) wrong.refundBankAccount = 'Only for a bank transfer'
  if (Object.keys(wrong).length > 0 || !choice) throw invalid(wrong)
  const payerEmail = input.payerEmail ?? null
  const again = transfers
    ? undefined
    : await sessionToReuse(
        merchantContext,
        { collection, session, client },
        { ...choice, targetAmount, price, refundAddress, payerEmail },
      )
  if (again) return { session: again, transfer: undefined }
  await refuseOwnAddresses(merchantContext, { refundAddress })
  const route = await prepareHiddenRoute(merchantContext, {
    name: collection.title,
    origin: choice,
    destination: {
      networkKey: collection.destinationChainKey,
      currency: collection.currency,
      address: collection.destinationAddress,
    },
    refundAddress,
    quote: choice.currency === collection.currency ? { input: targetAmount } : { output: targetAmount },
    strict: addressUse(collection.paymentPolicy) === 'exact',
    until: new Date(Date.now() + (SESSION_MINUTES + collection.paymentPolicy.graceMinutes) * 60_000),
    stranger,
  }).catch((error: unknown) => {
    throw forPayer(error)
  })
  const whole = { worth: route.inputAmount, whole: route.inputAmount, targetAmount }
  const transfer = transfers
    ? await prepareTransfer(merchantContext, collection, whole, {
        refundBankAccount: input.refundBankAccount ?? null,
        stranger,
      })
    : null
  return { collection, route, transfer, targetAmount, price, refundAddress, client }
}

/** Who starts it, unless that is the merchant: a credential of another organisation is worth nothing here. */
function strangerOf({ actor }: QueryContext, collection: CollectionRow, { ip }: CallContext): Stranger | undefined {
  const { organisationId, environment } = collection
  const isOwn = actor.organisationId === organisationId && actor.environment === environment
  return isOwn ? undefined : strangerAt(collection.id, collection.type === 'link', ip)
}

/** Can a payment, or the rest of one, still be transferred? */
const takesTransfers = ({ status, endsAt }: SessionRow): boolean =>
  (status === 'awaiting_payment' || status === 'underpaid') && endsAt > new Date()

const isOver = ({ status }: CollectionRow): boolean => status === 'void' || status === 'paid'

/** Gets a bank account for what is missing of a session. */
async function prepareAccount(
  merchantContext: QueryContext,
  { collection, session, stranger }: { collection: CollectionRow; session: SessionRow; stranger: Stranger | undefined },
  { refundBankAccount }: Input,
): Promise<PreparedAccount> {
  const known = openAccount(session)
  if (known && Date.parse(known.expiresAt) > Date.now()) return { session, transfer: undefined }
  const transfer = await prepareTransfer(
    merchantContext,
    // The price is that at which the session has started.
    { ...collection, pricing: session.pricing ?? null },
    { worth: missingAmount(session), whole: session.amount, targetAmount: session.targetAmount },
    { refundBankAccount: refundBankAccount ?? null, stranger },
  )
  return { session, transfer }
}

/**
 * Adds a prepared bank account to its session.
 * @throws collection_closed 409, session_not_payable 409 when a payment has come meanwhile, or the time is over
 */
async function addAccount(unit: UnitOfWork, { session, transfer }: PreparedAccount): Promise<SessionRow> {
  if (!transfer) return session
  const acting = actingFor(unit, session)
  if (isOver(await lockedCollection(acting, session.parentId))) throw errors.collection_closed()
  const row = await lockedSession(acting, session.id)
  if (!takesTransfers(row) || missingAmount(row) !== BigInt(transfer.account.worth)) throw errors.session_not_payable()
  createBankTransfer(acting, transfer.transfer, row.id)
  return updateResource(acting, sessionResource, row, { bankAccounts: [...row.bankAccounts, transfer.account] })
}

/** What the provider refuses is the payer's choice: its own fields mean nothing to the payer. */
function forPayer(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.status !== 422) return error
  if (error.fields?.amount) return invalid({ amount: 'Too small on this network, please choose another one' })
  return invalid({ currency: 'Not available for this payment at present, please choose another one' })
}

function chosen(
  networks: readonly AvailableNetwork[],
  collection: CollectionRow,
  { method, networkKey: givenNetwork, currency: givenCurrency }: Input,
  wrong: Mistakes,
) {
  const options = optionsOf(networks, collection)
  // Who transfers need not choose where stablecoin could come in too.
  const [first] = method === 'bank_transfer' && !givenNetwork && !givenCurrency ? options : []
  const { networkKey, currency } = first ?? { networkKey: givenNetwork, currency: givenCurrency }
  if (!networkKey) wrong.networkKey = 'Required'
  if (!currency) wrong.currency = 'Required'
  if (!networkKey || !currency) return undefined
  const network = networkOf(networkKey)
  if (!network || !options.some((option) => option.networkKey === networkKey)) wrong.networkKey = 'Not available'
  else if (!options.some((option) => option.networkKey === networkKey && option.currency === currency))
    wrong.currency = `Not available on ${networkKey}`
  return network && { networkKey, currency, type: network.type }
}

/** What is asked for, in the currency of the collection. Where it follows from a price, its rate is that of now. */
async function targetOf(
  context: QueryContext,
  { amount, pricing, currency }: CollectionRow,
  { amount: given }: Input,
  wrong: Mistakes,
): Promise<{ targetAmount: bigint; price: HeldPrice | null }> {
  if (given && (amount || pricing)) wrong.amount = 'Must be left out: the amount is fixed'
  if (amount) return { targetAmount: amount, price: null }
  if (pricing) {
    const now = await held(context, pricing, currency)
    // It could be converted when the collection was created.
    if (!now) throw errors.price_unavailable({ retryAfter: PRICE_RETRY_SECONDS })
    return { targetAmount: now.amount, price: now.price }
  }
  if (!given) wrong.amount = 'Required: choose what to pay'
  const chosen = given && amountField(wrong, 'amount', given, assets[currency as AssetSymbol])
  return { targetAmount: chosen || 0n, price: null }
}

function refundOf(
  { paymentPolicy }: CollectionRow,
  { refundAddress, networkKey = '', allowOffCurve }: Input,
  wrong: Mistakes,
): string | null {
  const type = networkOf(networkKey)?.type
  if (refundAddress && type) return addressField(wrong, 'refundAddress', type, refundAddress, { allowOffCurve }) ?? null
  if (paymentPolicy.mismatch === 'return') wrong.refundAddress = 'Required: another amount is sent back there'
  return null
}

/**
 * Starts the prepared session. The commit checks again that the collection takes it, under its lock: see {@link startWithCommit}.
 * @throws collection_closed 409, too_many_sessions 429
 */
export async function start(unit: UnitOfWork, input: Input, prepared: PreparedStart): Promise<SessionRow> {
  if ('session' in prepared) return addAccount(unit, prepared)
  const { collection, route, transfer } = prepared
  const acting = actingFor(unit, collection)
  const longest = Date.now() + SESSION_MINUTES * 60_000
  const expiresAt = new Date(Math.min(longest, Date.parse(transfer?.account.expiresAt ?? '') || longest))
  const id = newId()
  startWithCommit(acting, { id, collectionId: collection.id, client: prepared.client })
  if (transfer) createBankTransfer(acting, transfer.transfer, id)
  const { graceMinutes } = collection.paymentPolicy
  createHiddenRoute(acting, route, new Date(expiresAt.getTime() + graceMinutes * 60_000))
  return createResource(acting, sessionResource, {
    id,
    organisationId: collection.organisationId,
    environment: collection.environment,
    provider: route.provider,
    parentId: collection.id,
    routeId: route.id,
    collectionType: collection.type,
    title: collection.title,
    invoiceNumber: collection.invoiceNumber ?? null,
    customerId: collection.customerId ?? null,
    destinationChainKey: collection.destinationChainKey,
    destinationCurrency: collection.currency,
    destinationAddress: collection.destinationAddress,
    targetAmount: prepared.targetAmount,
    pricing: prepared.price,
    networkKey: route.origin.networkKey,
    currency: route.origin.currency,
    amount: route.inputAmount,
    guaranteedAmount: route.guaranteedAmount,
    receivedAmount: 0n,
    deliveredAmount: 0n,
    fees: 0n,
    depositAddress: route.depositAddress,
    payments: [],
    bankAccounts: transfer ? [transfer.account] : [],
    paymentPolicy: collection.paymentPolicy,
    paidOver: false,
    paidTwice: false,
    paidLate: false,
    failureReason: null,
    payerEmail: input.payerEmail ?? null,
    refundAddress: prepared.refundAddress,
    refundTo: route.refundTo,
    needsOperator: false,
    needsDecision: false,
    pendingSince: null,
    locale: input.locale ?? 'en',
    client: prepared.client,
    firstPaymentAt: null,
    expiresAt,
    endsAt: expiresAt,
    paidAt: null,
  })
}

/** The session that an action is about. @throws collection_not_found 404, validation_failed 422 for the id of a collection */
async function sessionFor(unit: UnitOfWork, { collectionId, action }: Input): Promise<SessionRow> {
  const { session } = await findTarget(unit, collectionId)
  if (!session) throw invalid({ action: `Takes the id of a session: ${action}` })
  return session
}

/** Until when a payment can change the status of a session: its address is watched so long. */
export function expectedUntil({ status, endsAt, paymentPolicy }: SessionRow): Date {
  if (status === 'paid' || status === 'cancelled') return new Date()
  return new Date(endsAt.getTime() + paymentPolicy.graceMinutes * 60_000)
}

/** Cancels a session that waits for its payment. @throws session_not_cancellable 409 */
export async function cancel(unit: UnitOfWork, input: Input): Promise<SessionRow> {
  const session = await sessionFor(unit, input)
  const acting = actingFor(unit, session)
  const { row, outcome } = await move(acting, sessionResource, session.id, 'cancel', errors.checkout_session_not_found)
  if (outcome === 'ignored' && row.status !== 'cancelled') throw errors.session_not_cancellable()
  if (outcome === 'moved') await watchHiddenRoute(acting, row.routeId, expectedUntil(row))
  return row
}

/** The present state of a session. One whose time is over expires now. */
export async function refresh(unit: UnitOfWork, input: Input): Promise<SessionRow> {
  const session = await sessionFor(unit, input)
  if (session.endsAt > new Date()) return session
  return (await expireSession(actingFor(unit, session), session.id)).row
}
