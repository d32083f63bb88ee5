import { ProviderError } from '@payments/provider-http'
import type { QuotedAddress, QuotedAmount } from '@payments/routes'
import { legOf } from '../assets.ts'
import type { Quote } from '../wire.ts'

/** A token on a chain, as Relay names it. */
interface Token {
  readonly chainId: number
  readonly address: string
}

/** What a quote was asked for. */
export interface Asked {
  readonly origin: Token
  readonly destination: Token
  readonly recipient: string
}

const wrong = (what: string) => new ProviderError('unreadable', `A quote ${what}`)

/** Spelling of addresses differs; whose they are does not. */
const isSame = (a: string, b: string): boolean => a === b || (a.startsWith('0x') && a.toLowerCase() === b.toLowerCase())

function isToken(said: { chainId: number | null; address: string | null } | null | undefined, asked: Token): boolean {
  if (!said || said.chainId === null || said.address === null) return true
  const [is, wanted] = [legOf({ chainId: said.chainId, address: said.address }), legOf(asked)]
  return said.chainId === asked.chainId && (isSame(said.address, asked.address) || (is !== undefined && is === wanted))
}

/**
 * Checks that a quote is for what was asked: who is paid, in which token on which chain, and which one the payer sends. What Relay leaves out says nothing.
 * @throws ProviderError for another request
 */
export function checkAsked({ details }: Pick<Quote, 'details'>, { origin, destination, recipient }: Asked): void {
  if (details?.recipient && !isSame(details.recipient, recipient)) throw wrong('for another recipient')
  if (!isToken(details?.currencyIn?.currency, origin)) throw wrong('of another currency to send')
  if (!isToken(details?.currencyOut?.currency, destination)) throw wrong('of another currency to deliver')
}

/** The amounts of a quote. @throws ProviderError where the amount to send is missing, or is another one than asked for */
export function amountsOf({ details }: Quote, quote: QuotedAmount): Omit<QuotedAddress, 'depositAddress'> {
  const { currencyIn, currencyOut } = details ?? {}
  if ('input' in quote && currencyIn && BigInt(currencyIn.amount) !== quote.input) throw wrong('of another amount')
  const inputAmount = 'input' in quote ? quote.input : currencyIn && BigInt(currencyIn.amount)
  if (!inputAmount) throw wrong('without the amount to send')
  const { amount, minimumAmount } = currencyOut ?? {}
  // An amount to deliver is delivered; of one to send, what is guaranteed.
  const outputAmount = 'input' in quote ? minimumAmount : amount
  return {
    inputAmount,
    ...(outputAmount ? { outputAmount: BigInt(outputAmount) } : {}),
    ...(amount ? { expectedAmount: BigInt(amount) } : {}),
    ...(minimumAmount ? { guaranteedAmount: BigInt(minimumAmount) } : {}),
    inputUsd: currencyIn?.amountUsd ?? null,
    expectedUsd: currencyOut?.amountUsd ?? null,
  }
}
