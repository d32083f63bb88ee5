import { type ConvertOutProvider, cngnErrors, cngnNetworks } from '@payments/cngn'
import { assets, errors as commonErrors, invalid, networkOf, ServiceError } from '@payments/kernel'
import { type HttpClient, ProviderError } from '@payments/provider-http'
import { chains, relayAsset } from '../assets.ts'
import { callerErrorOf } from '../errors.ts'
import { deliveredOf, isFinal, readElements } from '../reports/reports.ts'
import { Chains, PricedQuote, type Request, Requests } from '../wire.ts'
import { checkAsked } from './quote.ts'

const CNGN_UNIT = 10n ** BigInt(assets.cNGN.decimals)

/** Where a conversion that fails comes back to: the address of the treasury on each network of cNGN. */
export type TreasuryAddresses = Readonly<Record<string, string>>

/**
 * Converts cNGN out over Relay: cNGN is sent to a strict deposit address, which is bound to one order and one amount. Relay cannot
 * return a token that is not among a chain's `solverCurrencies`, so only chains that list the contract of cNGN are used, and only those
 * on which the treasury has an address. Decisions are in `docs/decisions/cngn.md`.
 */
export function relayConvertOut(client: HttpClient, treasury: TreasuryAddresses): ConvertOutProvider {
  return {
    name: 'relay',
    returnAddresses: treasury,
    quote: (request) =>
      mapErrors(async () => {
        const { toCurrency, networkKey, destinationAddress, amount } = request
        const origin = await originOf(client, treasury)
        const to = relayAsset({ networkKey, currency: toCurrency })
        if (!to) throw invalid({ toCurrency: 'Not supported by the provider' })
        const answer = await client.post(
          '/quote/v2',
          {
            user: origin.refundTo,
            recipient: destinationAddress,
            originChainId: origin.chainId,
            originCurrency: origin.contract,
            destinationChainId: to.chainId,
            destinationCurrency: to.address,
            amount: amount.toString(),
            tradeType: 'EXACT_INPUT',
            useDepositAddress: true,
            strict: true,
            refundTo: origin.refundTo,
          },
          PricedQuote,
        )
        const { steps, details } = answer
        checkAsked(answer, {
          origin: { chainId: origin.chainId, address: origin.contract },
          destination: to,
          recipient: destinationAddress,
        })
        const address = steps.find((step) => step.depositAddress)?.depositAddress
        const convertedAmount = BigInt(details.currencyOut.amount)
        if (!address || convertedAmount === 0n)
          throw new ProviderError('unreadable', 'A quote without an address or an amount')
        // Relay's fees are in the rate: it tells what is delivered for what is sent.
        return {
          networkKey: origin.networkKey,
          address,
          rate: rateOf(amount, convertedAmount),
          fee: 0n,
          convertedAmount,
        }
      }),

    report: ({ address, toCurrency, destinationNetworkKey }) =>
      mapErrors(async () => {
        const query = { depositAddress: address, sortBy: 'updatedAt', sortDirection: 'desc', limit: '10' }
        const { requests } = readElements((await client.get('/requests/v3', query, Requests)).requests)
        const request = orderOf(requests, address)
        const to = relayAsset({ networkKey: destinationNetworkKey, currency: toCurrency })
        const txHash = request?.data?.outTxs?.find((tx) => tx.txHash)?.txHash ?? null
        const none = { convertedAmount: null, txHash: null, refundedAmount: null, refundTxHash: null }
        switch (request?.status) {
          case 'success': {
            const amount = request && to ? deliveredOf(request, to) : null
            // The amounts may come after the status.
            return amount === null
              ? { ...none, status: 'pending' }
              : { ...none, status: 'completed', txHash, convertedAmount: amount }
          }
          case 'refund':
            // How much came back is what arrives at the treasury.
            return { ...none, status: 'refunded', refundTxHash: txHash }
          case 'failure':
            return { ...none, status: 'failed' }
          default:
            return { ...none, status: 'pending' }
        }
      }),
  }
}

/**
 * The request of the order that a strict address is bound to. Whatever else is sent there is a request of its own, which is sent back or kept
 * (`DOUBLE_SPEND`): an address fills once, so what was delivered is the order's end, and nothing is while one is under way.
 */
function orderOf(requests: readonly Request[], address: string): Request | undefined {
  const own = requests.filter(
    ({ supersededByRequestId, depositAddress }) =>
      !supersededByRequestId && (depositAddress?.address ?? address).toLowerCase() === address.toLowerCase(),
  )
  return own.find(({ status }) => status === 'success') ?? own.find(({ status }) => !isFinal(status)) ?? own[0]
}

interface Origin {
  readonly networkKey: string
  readonly chainId: number
  readonly contract: string
  readonly refundTo: string
}

/** The network over which cNGN can be sent to Relay now. @throws ServiceError 503 where there is none */
async function originOf(client: HttpClient, treasury: TreasuryAddresses): Promise<Origin> {
  const { chains: known } = await client.get('/chains', {}, Chains)
  for (const { networkKey, contract, decimals, enabled } of cngnNetworks) {
    const refundTo = treasury[networkKey]
    const chainId = chains[networkKey]?.id
    const chain = known.find(({ id }) => id === chainId)
    if (!enabled || !refundTo || chainId === undefined || !chain || chain.disabled) continue
    const spelled = (address: string | null) =>
      networkOf(networkKey)?.type === 'evm' ? address?.toLowerCase() : address
    const listed = (chain.solverCurrencies ?? []).some(
      (token) => spelled(token.address) === spelled(contract) && token.decimals === decimals,
    )
    if (listed) return { networkKey, chainId, contract, refundTo }
  }
  throw new ServiceError('capability_unavailable', {
    ...commonErrors.capability_unavailable,
    message: 'Converts out of cNGN are not available at the moment',
  })
}

/** cNGN for one unit of the other stablecoin, six decimals at most, rounded down. Both have six decimals. */
function rateOf(amount: bigint, convertedAmount: bigint): string {
  const millionths = (amount * CNGN_UNIT) / convertedAmount
  const part = String(millionths % CNGN_UNIT).padStart(assets.cNGN.decimals, '0')
  return `${millionths / CNGN_UNIT}.${part}`.replace(/\.?0+$/, '')
}

/** Relay's errors in the words of cNGN: what it says of a field is about the destination. */
async function mapErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const { status, fields, retryAfter } = callerErrorOf(error)
    if (fields)
      throw invalid(
        'destinationAddress' in fields
          ? { destinationAddress: 'Not accepted by the provider' }
          : { toCurrency: 'Not available from cNGN at the moment' },
      )
    const options = { cause: error, ...(retryAfter ? { retryAfter } : {}) }
    throw status === 503 ? cngnErrors.cngn_provider_unavailable(options) : cngnErrors.cngn_provider_failed(options)
  }
}
