// What the fake server lists at `GET /v0/tokens`: the ids as 1Click gives them, written down here once more, so that a wrong entry in the
// adapter's table is found. Sources: quickstart.mdx of defuse-protocol/docs ("Query supported tokens": two kinds of ids, and
// `contractAddress` null for a chain's own currency), the lists of public integrators (ids that begin with `nep245:` and `1cs_v1:`),
// TokenResponse.ts of one-click-sdk-typescript (names of blockchains), circle.com and tether.to (contracts and decimals).

export interface WireToken {
  readonly assetId: string
  readonly decimals: number
  readonly blockchain: string
  readonly symbol: string
  readonly contractAddress: string | null
}

const token = (
  blockchain: string,
  symbol: string,
  contractAddress: string | null,
  assetId: string,
  decimals = 6,
): WireToken => ({ assetId, decimals, blockchain, symbol, contractAddress })

/** Bridged tokens have the contract in their id, with the bridge's own form of it on Solana and Tron. */
const bridged = (blockchain: string, symbol: string, contract: string, inId: string = contract): WireToken =>
  token(blockchain, symbol, contract, `nep141:${blockchain}-${inId}.omft.near`)
const own = (blockchain: string, symbol: string, decimals: number): WireToken =>
  token(blockchain, symbol, null, `nep141:${blockchain}.omft.near`, decimals)

/** Dollars of one token (TokenResponse.ts, `price`). */
const PRICES: Readonly<Record<string, number>> = { USDC: 1, USDT: 1, ETH: 2500, SOL: 150, POL: 0.5, wNEAR: 5 }

/** What an amount of a token is worth in dollars, as answers have it (Quote.ts, `amountInUsd`; SwapDetails.ts, `amountInUsd`); null for one that is not listed. */
export function dollarsOf(assetId: unknown, amount: bigint): string | null {
  const found = tokens.find((each) => each.assetId === assetId)
  return found ? ((Number(amount) / 10 ** found.decimals) * (PRICES[found.symbol] ?? 0)).toFixed(12) : null
}

export const tokens: readonly WireToken[] = [
  token('near', 'wNEAR', 'wrap.near', 'nep141:wrap.near', 24),
  token(
    'near',
    'USDC',
    '17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1',
    'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1',
  ),
  token('btc', 'BTC', null, '1cs_v1:btc:native:coin', 8),
  // Chains whose addresses need a memo (QuoteRequest.ts, `depositMode`): USDC on Stellar.
  token(
    'stellar',
    'USDC',
    'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    'nep245:v2_1.omni.hot.tg:1100_111bzQBB65GxAPAVoxqmMcgYo5oS3txhqs1Uh1cgahKQUeTUq1TJu',
    7,
  ),
  // Eighteen decimals, on a chain that this service does not have.
  token(
    'bsc',
    'USDC',
    '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
    'nep245:v2_1.omni.hot.tg:56_2w93GqMcEmQFDru84j3HZZWt557r',
    18,
  ),
  own('eth', 'ETH', 18),
  bridged('eth', 'USDC', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'),
  bridged('eth', 'USDT', '0xdac17f958d2ee523a2206206994597c13d831ec7'),
  own('base', 'ETH', 18),
  bridged('base', 'USDC', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'),
  own('arb', 'ETH', 18),
  bridged('arb', 'USDC', '0xaf88d065e77c8cc2239327c5edb3a432268e5831'),
  bridged('arb', 'USDT', '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9'),
  token('op', 'ETH', null, 'nep245:v2_1.omni.hot.tg:10_11111111111111111111', 18),
  token(
    'op',
    'USDC',
    '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
    'nep245:v2_1.omni.hot.tg:10_A2ewyUyDp6qsue1jqZsGypkCxRJ',
  ),
  token(
    'op',
    'USDT',
    '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58',
    'nep245:v2_1.omni.hot.tg:10_359RPSJVdTxwTJT9TyGssr2rFoWo',
  ),
  token('pol', 'POL', null, 'nep245:v2_1.omni.hot.tg:137_11111111111111111111', 18),
  token(
    'pol',
    'USDC',
    '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
    'nep245:v2_1.omni.hot.tg:137_qiStmoQJDQPTebaPjgx5VBxZv6L',
  ),
  token(
    'pol',
    'USDT',
    '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
    'nep245:v2_1.omni.hot.tg:137_3hpYoaLtt8MP1Z2GH1U473DMRKgr',
  ),
  own('sol', 'SOL', 9),
  bridged('sol', 'USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', '5ce3bf3a31af18be40ba30f721101b4341690186'),
  bridged('sol', 'USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 'c800a4bd850783ccb82c2b2c7e84175443606352'),
  bridged('tron', 'USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'd28a265909efecdcee7c5028585214ea0b96f015'),
]
