import { addressField, anonymous, assetNamed, invalid, type Mistakes, networkOf, toMinor } from '@payments/kernel'
import { moneyOf, texts } from '@payments/pay-page'
import { type Page, publicUrl, type QueryContext, queryContext, takeCall } from '@payments/platform'
import { errors } from '../errors.ts'
import { transactionBuilder } from '../payer/builder.ts'
import { payPage } from '../payer/payer.ts'
import type { PayPage } from '../schemas.ts'

/** The most that one collection may take of the limit of a builder, in percent. */
const SHARE_PERCENT = 25
/** Steps of the table of money at which the page gives its payer the address. */
const ASKS: readonly string[] = ['pay', 'rest', 'ask_open']

/** Shown by wallets for a merchant without a logo. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#1a56db"/><path d="M12 17h24v14H12z M12 21h24" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round"/></svg>'

/** A session that asks its payer for money now. @throws session_asks_for_nothing 409 where it asks for none, and for a collection */
function asked(page: PayPage): PayPage & { readonly session: NonNullable<PayPage['session']> } {
  const { session } = page
  if (!session) throw errors.session_asks_for_nothing()
  const { step } = moneyOf({ ...page, session }, { locale: 'en', networks: {}, texts: texts.en })
  if (!ASKS.includes(step)) throw errors.session_asks_for_nothing()
  return { ...page, session }
}

/**
 * The transaction with which a wallet pays what is missing of a session now.
 * @param account the wallet's address, as the request gave it
 * @throws validation_failed 422 on `account`, session_asks_for_nothing 409, and what `payPage` and the builder throw
 */
async function build(context: QueryContext, id: string, account: unknown) {
  const page = asked(await payPage(context, id))
  const { networkKey, currency, depositAddress, remainingAmount } = page.session
  const builder = await transactionBuilder(context, page.environment, networkKey)
  const type = networkOf(networkKey)?.type
  if (!builder || !type) throw errors.session_asks_for_nothing()
  const wrong: Mistakes = {}
  const payer = addressField(wrong, 'account', type, typeof account === 'string' ? account : '')
  if (!payer) throw invalid(wrong)
  const retryAfter = await takeCall(context.runtime.pool, {
    provider: builder.name,
    bucket: 'transactions',
    environment: page.environment,
    perMinute: builder.callsPerMinute,
    purpose: 'new',
    shares: [{ id: page.linkId, percent: SHARE_PERCENT }],
  })
  if (retryAfter > 0) throw errors.transaction_unavailable({ retryAfter })
  const transaction = await builder.build({
    payer,
    payee: depositAddress,
    currency,
    units: toMinor(remainingAmount, assetNamed(currency)),
  })
  return { transaction, message: `${page.merchant.name}: ${page.title}` }
}

const PATH = '/pay/{collectionId}/transaction'
/** The errors of `payPage`. */
const READS = [errors.collection_not_found, errors.payments_unavailable] as const
const json = (body: object) => ({ type: 'application/json', body: JSON.stringify(body) })

/**
 * A transaction request of Solana Pay (specification 1.1): `solana:` and this address is a link for wallets. `GET` says who asks, `POST` with
 * the wallet's `account` answers with the unsigned transaction. Neither has the envelope of the API, since wallets read it.
 */
export const transactionPages: readonly Page[] = [
  {
    method: 'GET',
    path: PATH,
    anyOrigin: true,
    errors: [...READS, errors.session_asks_for_nothing],
    async respond(runtime, { params, log }) {
      const page = await payPage(queryContext(runtime, anonymous, log), params.collectionId ?? '')
      if (page.transactionUrl === null) throw errors.session_asks_for_nothing()
      const icon = page.branding.logoPath ?? `/pay/${page.id}/icon.svg`
      return json({ label: page.merchant.name, icon: publicUrl(runtime.settings) + icon })
    },
  },
  {
    method: 'POST',
    path: PATH,
    anyOrigin: true,
    errors: [...READS, errors.session_asks_for_nothing, errors.transaction_unavailable, errors.transaction_failed],
    async respond(runtime, { params, log, body }) {
      const { account } = await body()
      return json(await build(queryContext(runtime, anonymous, log), params.collectionId ?? '', account))
    },
  },
  {
    method: 'GET',
    path: '/pay/{collectionId}/icon.svg',
    anyOrigin: true,
    respond: async () => ({ type: 'image/svg+xml', body: ICON }),
  },
]
