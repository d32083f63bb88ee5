import { isDeepStrictEqual } from 'node:util'
import { type DepositReport, DISAGREES, type Leg, type OddReport } from '@payments/routes'
import { legOf, networkKeyOf, type RelayAsset } from '../assets.ts'
import { type Amount, Identified, Request } from '../wire.ts'

const ENDS: ReadonlyMap<string, DepositReport['status']> = new Map([
  ['success', 'completed'],
  ['refund', 'refunded'],
  ['failure', 'failed'],
])

/** Whether a request with this status is final. */
export const isFinal = (status: string): boolean => ENDS.has(status)

/** The outcome that a request reports for its money. A refund that Relay says it cannot make, and of which there is no transaction, is none. */
function endOf(request: Request): DepositReport['status'] {
  const said = ENDS.get(request.status) ?? 'pending'
  return said === 'refunded' && hasRefundFailed(request) && hashes(request.data?.outTxs).length === 0 ? 'failed' : said
}

const hasRefundFailed = ({ data }: Request): boolean => !!data?.refundFailReason && data.refundFailReason !== 'N/A'

/** Reads the elements of a list one by one: an odd one hides no other. */
export function readElements(elements: readonly unknown[]): { requests: Request[]; odd: OddReport[] } {
  const requests: Request[] = []
  const odd: OddReport[] = []
  for (const element of elements) {
    const { data, error } = Request.safeParse(element)
    if (data) requests.push(data)
    else
      odd.push({
        requestId: Identified.safeParse(element).data?.id ?? null,
        reason: `Not readable at ${error.issues.map(({ path }) => path.join('.') || 'the element').join(', ')}`,
        report: element,
      })
  }
  return { requests, odd }
}

/** What the deposits of an address are read for. */
export interface Wanted {
  readonly origin: Leg
  readonly destination: RelayAsset
  /** Requests that are deposits already, whatever this answer leaves out. */
  readonly known: readonly string[]
}

/**
 * Relay's requests of one deposit address as deposits. A request is a deposit once money was received: the quote that created the
 * address is a request too, which may never be paid. A superseded request is reported by its successor, which has the same
 * transaction. An unknown status counts as pending, and so does an end whose amounts are not there yet.
 */
export function reportsOf(requests: readonly Request[], wanted: Wanted): DepositReport[] {
  return requests.flatMap((request) => {
    if (request.supersededByRequestId) return []
    const said = endOf(request)
    if (!isPaid(request, said) && !wanted.known.includes(request.id)) return []
    const ended = said !== 'pending'
    const came = ended ? moneyIn(request) : observed(request)
    const went = said === 'completed' ? moneyOut(request, wanted.destination) : null
    const disagrees = isContradictory(request)
    const complete = ended && !disagrees && came !== null && (said !== 'completed' || went !== null)
    const status = complete ? said : 'pending'
    return [
      {
        requestId: request.id,
        status,
        // A payer may send another currency, or on another chain, and open addresses deliver some of them. A token outside the table is
        // its own origin: nobody knows its unit here, so only its value in US dollars is told.
        origin: came && !disagrees ? originOf(came) : wanted.origin,
        originAmount: disagrees ? null : came && (legOf(came.currency) ? BigInt(came.amount) : 0n),
        originAmountUsd: disagrees ? null : came && dollars(came.amountUsd),
        destinationAmount: complete && went ? BigInt(went.amount) : null,
        destinationAmountUsd: complete && went ? dollars(went.amountUsd) : null,
        depositTxHash: payerHash(request),
        failureReason: status === 'refunded' || status === 'failed' ? failureReason(request) : null,
        ...(complete && said === 'completed' ? excessOf(request) : {}),
        contradiction: disagrees ? DISAGREES : null,
        providerReason: disagrees
          ? DISAGREES
          : ended && !complete
            ? `${request.status} without its amounts`
            : providerReason(request),
        refundAddress: request.refundTo,
        updatedAt: request.updatedAt ?? request.createdAt ?? new Date(),
        receivedAt: receivedAt(request),
      },
    ]
  })
}

const hashes = (transactions: NonNullable<Request['data']>['inTxs'] | undefined): string[] =>
  (transactions ?? []).flatMap(({ txHash }) => txHash ?? [])

const depositOf = ({ protocol }: Request) => protocol?.deposit?.origin ?? null

/** The payer's transaction. `inTxs` has the sweep from the deposit address, which is Relay's own transaction. */
function payerHash(request: Request): string | null {
  const sweeps = hashes(request.data?.inTxs)
  const protocol = depositOf(request)?.transactionId ?? null
  return request.depositAddress?.depositTxHash ?? (protocol !== null && !sweeps.includes(protocol) ? protocol : null)
}

/** Did money arrive? An expired quote that nobody paid is a `failure` too. */
const isPaid = (request: Request, said: DepositReport['status']): boolean =>
  said === 'completed' ||
  said === 'refunded' ||
  payerHash(request) !== null ||
  hashes(request.data?.inTxs).length > 0 ||
  depositOf(request) !== null

/** What the chain saw arrive, where Relay tells. */
function seenOnChain(request: Request): Amount | null {
  const { amount = null, chainId = null, currency = null } = depositOf(request) ?? {}
  if (amount === null || chainId === null || currency === null) return null
  const listed = request.data?.route?.actual?.origin?.inputCurrency
  const seen = { currency: { chainId, address: currency }, amount, amountUsd: null }
  return { ...seen, amountUsd: listed && listed.amount === amount && isSame(seen, listed) ? listed.amountUsd : null }
}

/**
 * What the chain saw and what Relay says that it measured are two amounts, or two currencies: one of them is wrong. What repeats the quote was not
 * measured; of a strict address it may be what was asked for, where more arrived (deposit-addresses.mdx, "amount mismatch").
 */
function isContradictory(request: Request): boolean {
  const { actual, quoted } = request.data?.route ?? {}
  const told = actual?.origin?.inputCurrency ?? null
  const seen = seenOnChain(request)
  if (!told || !seen || isDeepStrictEqual(told, quoted?.origin?.inputCurrency)) return false
  return told.amount !== seen.amount || !isSame(told, seen)
}

/** What a strict address was asked for, where more of it arrived: it fills that, whichever of the two `actual` repeats. */
function filledOf(request: Request): { readonly asked: bigint; readonly arrived: bigint } | undefined {
  const asked = request.data?.route?.quoted?.origin?.inputCurrency
  const seen = seenOnChain(request) ?? request.data?.route?.actual?.origin?.inputCurrency
  if (request.depositAddress?.type !== 'strict' || !asked || !seen || !isSame(asked, seen)) return undefined
  return BigInt(seen.amount) > BigInt(asked.amount)
    ? { asked: BigInt(asked.amount), arrived: BigInt(seen.amount) }
    : undefined
}

/** The excess of a strict address: it goes back net of gas, and Relay does not tell how much of it arrives; or it cannot go back. */
function excessOf(request: Request): Pick<DepositReport, 'returnedAmount' | 'returnSent' | 'returnFailed'> {
  const filled = filledOf(request)
  if (!filled) return {}
  return hasRefundFailed(request)
    ? { returnedAmount: 0n, returnSent: true, returnFailed: true }
    : { returnedAmount: filled.arrived - filled.asked, returnSent: false }
}

const isSame = ({ currency: a }: Amount, { currency: b }: Amount): boolean =>
  a.chainId === b.chainId && a.address.toLowerCase() === b.address.toLowerCase()

/**
 * `actual` repeats `quoted` while nothing was executed: then it says nothing of what arrived or was delivered. A request that went
 * exactly as quoted looks the same, and has a transaction that delivered, or the deposit that was quoted.
 */
function isMirror(request: Request): boolean {
  const { actual, quoted } = request.data?.route ?? {}
  if (!actual || !quoted || !isDeepStrictEqual(actual, quoted)) return false
  const seen = seenOnChain(request)
  const asked = quoted.origin?.inputCurrency
  // A strict address delivers what was quoted of more than that.
  if (seen && filledOf(request)) return hashes(request.data?.outTxs).length === 0
  if (seen) return !asked || seen.amount !== asked.amount || !isSame(seen, asked)
  return hashes(request.data?.outTxs).length === 0
}

/** What arrived, as a request that has not ended can tell: seen on chain, or reported differently from what was quoted. */
function observed(request: Request): Amount | null {
  const { actual, quoted } = request.data?.route ?? {}
  const told = actual?.origin?.inputCurrency ?? null
  const asked = quoted?.origin?.inputCurrency ?? null
  return seenOnChain(request) ?? (told && asked && !isDeepStrictEqual(told, asked) ? told : null)
}

/** What arrived, from a request that has ended. */
function moneyIn(request: Request): Amount | null {
  const { actual, quoted } = request.data?.route ?? {}
  const told = actual?.origin?.inputCurrency ?? null
  const asked = quoted?.origin?.inputCurrency ?? null
  // Where it differs from the quote, Relay has measured it. Where it does not, what the chain saw counts more.
  if (told && asked && !isDeepStrictEqual(told, asked)) return told
  return seenOnChain(request) ?? (isMirror(request) ? null : told)
}

/** What a request delivered of a currency; null where it does not tell, or tells of another one. */
export function deliveredOf(request: Request, destination: RelayAsset): bigint | null {
  const went = moneyOut(request, destination)
  return went && BigInt(went.amount)
}

/** What was delivered, in the currency asked for. On one chain there is no destination leg: it is what came out of the origin's swap. */
function moneyOut(request: Request, destination: RelayAsset): Amount | null {
  if (isMirror(request)) return null
  const actual = request.data?.route?.actual
  const same = moneyIn(request)?.currency.chainId === destination.chainId ? actual?.origin?.outputCurrency : null
  const went = actual?.destination?.outputCurrency ?? same ?? null
  return went && isOf(went, destination) ? went : null
}

/**
 * When the payer's transaction was mined, in seconds. Relay tells the time of its sweep, which comes later: then this is the latest
 * time at which it can have been.
 */
function receivedAt({ data }: Request): Date | null {
  return data?.inTxs?.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null
}

const originOf = ({ currency }: Amount): Leg =>
  legOf(currency) ?? { networkKey: networkKeyOf(currency.chainId), currency: currency.address }

const isOf = ({ currency }: Amount, asset: RelayAsset): boolean => {
  const [is, wanted] = [legOf(currency), legOf(asset)]
  return is !== undefined && is === wanted
}

const dollars = (text: string | null): string | null => (text !== null && /^\d+(\.\d+)?$/.test(text) ? text : null)

/** Relay's words for why a request failed and why its refund did, for operators. */
const providerReason = (request: Request): string | null => reasonsOf(request).join(', ') || null

const reasonsOf = ({ data }: Request): string[] =>
  [data?.failReason, data?.refundFailReason].flatMap((reason) => (reason && reason !== 'N/A' ? [reason] : []))

type FailureReason = NonNullable<DepositReport['failureReason']>

/** Relay's reasons (execution errors of its documentation) in the words of this service; all others are `delivery_failed`. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  BLOCKED_WALLET: 'provider_blocked',
  REFUND_RECIPIENT_IS_VASP: 'provider_blocked',
  MANUAL_REFUND_REQUIRED: 'provider_blocked',
  DEPOSIT_CHAIN_MISMATCH: 'wrong_currency',
  INCORRECT_DEPOSIT_CURRENCY: 'wrong_currency',
  ORIGIN_CURRENCY_MISMATCH: 'wrong_currency',
  DEPOSIT_REORGED: 'deposit_not_confirmed',
  DEPOSIT_CONFIRMATION_TIMEOUT: 'deposit_not_confirmed',
  TTL_EXPIRED: 'deposit_expired',
  SLIPPAGE: 'price_moved',
  NO_QUOTES: 'no_liquidity',
  SOLVER_CAPACITY_EXCEEDED: 'no_liquidity',
  DEPOSITED_AMOUNT_TOO_LOW_TO_FILL: 'amount_too_low',
  AMOUNT_TOO_LOW_TO_REFUND: 'amount_too_low',
  NEGATIVE_NEW_AMOUNT_AFTER_FEES: 'amount_too_low',
}

/** What holds funds back counts before why they were not delivered. */
function failureReason(request: Request): FailureReason {
  const reasons = reasonsOf(request).map((reason) => REASONS[reason] ?? 'delivery_failed')
  return reasons.find((reason) => reason === 'provider_blocked') ?? reasons[0] ?? 'delivery_failed'
}
