import { joinMerchant, merchantProfile } from '@payments/accounts'
import { type Brand, type BrandFields, brandFrom, brandOf, joinBranding } from '@payments/branding'
import { isId, ServiceError, system } from '@payments/kernel'
import type { MoneyData } from '@payments/pay-page'
import { columnsOf, lookupsOf, type QueryContext, queryContext, rowMapper } from '@payments/platform'
import { availableNetworks } from '@payments/routes'
import { CollectionEntity, type CollectionRow, SessionEntity, type SessionRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { NUMBER_TO_COME, presentCollection, presentPaySession } from '../present.ts'
import type { PayPage } from '../schemas.ts'
import { payUrlOf } from '../settings.ts'
import { isPayableState } from '../states.ts'
import { optionsOf, withEstimates } from '../terms/options.ts'
import { addressUse } from '../terms/policy.ts'
import { fiatValue, partOfPrice } from '../terms/prices.ts'
import { returnUrl } from '../terms/return-urls.ts'
import type { PaymentChoice } from '../terms/rows.ts'
import { type ShownTransfer, shownTransfer } from '../terms/transfers.ts'
import { transactionBuilder } from './builder.ts'

/** What an id of a pay route is of: a collection or, with `session`, one of its sessions. */
export interface PayTarget {
  readonly collection: CollectionRow
  readonly session: SessionRow | null
  readonly merchant: { readonly name: string; readonly suspended: boolean }
  readonly brand: Brand
}

/**
 * SQL: the row with an id. Other indexes have the id behind the tenant, and can be read from end to end: they do not have its order, so a plan that is kept
 * is never of one of them.
 */
const byId = (columns: string, table: string, id: string): string =>
  `(select ${columns} from ${table} where id = any (array[${id}]) order by id limit 1)`

/**
 * A collection with its merchant, by its own id or that of one of its sessions. Each table is found by its key alone.
 * @param columns those of the collection
 */
const targetSql = (columns: string): string => `
  select c.*, m.name as merchant_name, m.suspended_at is not null as merchant_suspended,
         b.fields as brand_fields, b.verified_domain as brand_domain
    from ${byId(columns, 'collections', `coalesce(${byId('parent_id', 'checkout_sessions', '$1::uuid')}, $1)`)} c
    ${joinMerchant('m', 'c')} ${joinBranding('b', 'c')}`

interface MerchantColumns {
  readonly merchant_name: string
  readonly merchant_suspended: boolean
  /** Null where the organisation has chosen nothing. */
  readonly brand_fields: BrandFields | null
  readonly brand_domain: string | null
}
type RawCollection = Parameters<ReturnType<typeof rowMapper<typeof CollectionEntity>>>[0]
type RawSession = Parameters<ReturnType<typeof rowMapper<typeof SessionEntity>>>[0]

/**
 * What an id of a pay route is of, in any organisation: one statement for a collection, two for a session. A key that is sent
 * sees those of its own organisation and environment.
 * @throws collection_not_found 404
 */
export async function findTarget(context: QueryContext, id: string): Promise<PayTarget> {
  if (!isId(id)) throw errors.collection_not_found()
  const { actor, runtime } = context
  const db = lookupsOf(context)
  const { rows } = await db.query<RawCollection & MerchantColumns>(targetSql(columnsOf(runtime, CollectionEntity)), [
    id,
  ])
  const [found] = rows
  if (!found) throw errors.collection_not_found()
  const { merchant_name: name, merchant_suspended: suspended, brand_fields: fields, brand_domain, ...raw } = found
  const collection = rowMapper(runtime, CollectionEntity)(raw as RawCollection)
  const { organisationId, environment } = collection
  if (actor.kind === 'key' && (actor.organisationId !== organisationId || actor.environment !== environment))
    throw errors.collection_not_found()
  const brand = brandFrom(fields ? { fields, verifiedDomain: brand_domain } : undefined, collection.branding)
  const merchant = { name: brand.displayName ?? name, suspended }
  if (collection.id === id.toLowerCase()) return { collection, session: null, merchant, brand }
  const { rows: sessions } = await db.query<RawSession>(
    byId(columnsOf(runtime, SessionEntity), 'checkout_sessions', '$1::uuid'),
    [id],
  )
  if (!sessions[0]) throw errors.collection_not_found()
  return { collection, session: rowMapper(runtime, SessionEntity)(sessions[0]), merchant, brand }
}

/** True while new sessions may be started. The time counts at once, not when the scheduled job runs. */
export const isPayable = ({ status, endsAt }: Pick<CollectionRow, 'status' | 'endsAt'>, now = new Date()): boolean =>
  isPayableState(status) && (!endsAt || endsAt > now)

/** What is said about the money of a session depends on this, at a time. */
export const moneyData = (
  { collection, session, merchant }: Paid,
  now: Date,
): MoneyData & { readonly session: ReturnType<typeof presentPaySession> } => ({
  linkStatus: collection.status,
  suspended: merchant.suspended,
  payable: !merchant.suspended && isPayable(collection, now),
  refundRequired: session.paymentPolicy.mismatch === 'return',
  serverTime: now.toISOString(),
  merchant: { name: merchant.name },
  session: presentPaySession(session),
  restByTransfer: session.endsAt > now,
})

interface Paid {
  readonly collection: Pick<CollectionRow, 'status' | 'endsAt'>
  readonly session: SessionRow
  readonly merchant: PayTarget['merchant']
}

/** A session that money has reached is shown even while its merchant is suspended. */
const isUnavailable = ({ merchant, session }: PayTarget): boolean =>
  merchant.suspended && (!session || session.payments.length === 0)

/**
 * What the payer may see. It creates and changes nothing.
 * @throws payments_unavailable 403 while the merchant is suspended
 */
function pageOf(
  target: PayTarget,
  paymentOptions: readonly PaymentChoice[],
  bankTransfer: ShownTransfer | null,
  transactionUrl: string | null,
): PayPage {
  if (isUnavailable(target)) throw errors.payments_unavailable()
  const { collection, session, merchant, brand } = target
  const { logoId: _logo, ...branding } = brand
  const shown = presentCollection(collection)
  return {
    id: session?.id ?? collection.id,
    linkId: collection.id,
    type: session ? 'session' : collection.type,
    status: session?.status ?? collection.status,
    linkStatus: collection.status,
    suspended: merchant.suspended,
    payable: !merchant.suspended && isPayable(collection) && paymentOptions.length > 0,
    environment: collection.environment,
    merchant: { name: merchant.name },
    title: shown.title,
    description: shown.description,
    number: shown.number,
    amount: shown.amount,
    pricing: shown.pricing,
    subtotal: shown.subtotal,
    tax: shown.tax,
    discount: shown.discount,
    items: shown.items,
    currency: shown.currency,
    fiatValue: collection.pricing
      ? partOfPrice(collection.pricing, 1n, 1n)
      : fiatValue(collection.amount ?? 0n, collection.currency),
    timeZone: shown.timeZone,
    dueAt: shown.dueAt,
    expiresAt: shown.expiresAt,
    paymentOptions: withEstimates(paymentOptions, collection.destinationChainKey),
    bankTransfer: bankTransfer && { ...bankTransfer, banks: [...bankTransfer.banks] },
    refundRequired: collection.paymentPolicy.mismatch === 'return',
    session: session ? presentPaySession(session) : null,
    transactionUrl,
    theme: shown.embedConfig,
    branding,
    allowedOrigins: shown.allowedOrigins,
    ...waysBack(target),
    serverTime: new Date().toISOString(),
  }
}

/**
 * The data of the pay page of an id, for its first render: nothing is created.
 * @throws collection_not_found 404, payments_unavailable 403
 */
export async function payPage(context: QueryContext, id: string): Promise<PayPage> {
  const target = await findTarget(context, id)
  const { organisationId, environment } = target.collection
  const merchant = queryContext(context.runtime, system(organisationId, environment), context.log)
  const [options, transfer, transactionUrl] = await Promise.all([
    currentOptions(merchant, target.collection),
    shownTransfer(merchant, target.collection, target.session),
    transactionUrlOf(merchant, target.session),
  ])
  return pageOf(target, options, transfer, transactionUrl)
}

/** Where wallets get the transaction that pays a session; null where nobody builds it. */
async function transactionUrlOf(context: QueryContext, session: SessionRow | null): Promise<string | null> {
  const builder = session && (await transactionBuilder(context, session.environment, session.networkKey))
  return builder ? `${payUrlOf(context.runtime.settings, session.id)}/transaction` : null
}

/**
 * The data of the pay page of a collection of the actor's tenant that was not created.
 * @throws payments_unavailable 403
 */
export async function pageOfDraft(context: QueryContext, draft: CollectionRow): Promise<PayPage> {
  const { name, suspended } = await merchantProfile(context, draft.organisationId)
  const brand = await brandOf(context, draft, draft.branding)
  const merchant = { name: brand.displayName ?? name, suspended }
  const transfer = await shownTransfer(context, draft, null)
  const page = pageOf({ collection: draft, session: null, merchant, brand }, draft.paymentOptions, transfer, null)
  return { ...page, number: draft.type === 'invoice' ? NUMBER_TO_COME : null }
}

/** Where the payer may go now: after the payment, or without one as long as nothing has arrived. */
function waysBack({ collection, session }: PayTarget): Pick<PayPage, 'redirectUrl' | 'cancelUrl'> {
  const { status } = session ?? collection
  const filled = (url: string | null | undefined) => (url ? returnUrl(url, session, status) : null)
  return {
    redirectUrl: status === 'paid' ? filled(collection.redirectUrl) : null,
    cancelUrl: status !== 'paid' && !session?.payments.length ? filled(collection.cancelUrl) : null,
  }
}

/** What payers can use now; what they could use at the creation while the provider does not answer. */
async function currentOptions(context: QueryContext, collection: CollectionRow): Promise<readonly PaymentChoice[]> {
  const { paymentOptions, paymentPolicy } = collection
  try {
    return optionsOf(await availableNetworks(context, addressUse(paymentPolicy)), collection)
  } catch (error) {
    if (error instanceof ServiceError) return paymentOptions
    throw error
  }
}
