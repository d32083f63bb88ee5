import { type AssetSymbol, assetOf, evmChainIds, networkOf, toDecimal, tokenContracts } from '@payments/kernel'

/**
 * A link that asks a wallet for a payment: EIP-681 on EVM networks, Solana Pay on Solana, both without `reference` or `memo`. Tron has no
 * common format, so there it is the address. Wallets misread some of these links (see docs/guides): a page shows the amount
 * and the address as text too.
 * @param units minor units of the currency; 0 or less asks for no amount
 */
export function paymentUri(networkKey: string, currency: string, address: string, units: bigint): string {
  const contract = tokenContracts[networkKey]?.[currency as AssetSymbol]
  switch (networkOf(networkKey)?.type) {
    case 'evm':
      return evmUri(evmChainIds[networkKey], contract, address, units)
    case 'svm':
      return solanaUri(currency, contract, address, units)
    default:
      return address
  }
}

function evmUri(chainId: number | undefined, contract: string | undefined, address: string, units: bigint): string {
  const asked = units > 0n
  if (!contract) return `ethereum:${address}@${chainId}${asked ? `?value=${units}` : ''}`
  return `ethereum:${contract}@${chainId}/transfer?address=${address}${asked ? `&uint256=${units}` : ''}`
}

function solanaUri(currency: string, contract: string | undefined, address: string, units: bigint): string {
  const asset = assetOf(currency)
  const query = new URLSearchParams()
  if (asset && units > 0n) query.set('amount', toDecimal(units, asset))
  if (contract) query.set('spl-token', contract)
  const text = query.toString()
  return `solana:${address}${text ? `?${text}` : ''}`
}
