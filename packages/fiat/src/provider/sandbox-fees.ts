/** In thousandths of the amount. */
const FEE_PER_MILLE = 5n

/** The sandbox's fee of an amount, rounded up to the next minor unit. */
export const feeOf = (amount: bigint): bigint => (amount * FEE_PER_MILLE + 999n) / 1000n

/** The least amount of which so much is left after the fee. */
export const grossOf = (net: bigint): bigint => (net * 1000n + 999n - FEE_PER_MILLE) / (1000n - FEE_PER_MILLE)
