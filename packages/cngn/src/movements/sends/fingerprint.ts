/** One spelling of a destination. */
export const destinationKey = (text: string): string => (text.startsWith('0x') ? text.toLowerCase() : text)

/** The destination of an order of which it is not known. */
export const ANYWHERE = ''

/** What the provider's list shows of an order. Two orders in doubt never have the same one. */
export const fingerprintOf = (
  account: string,
  channel: 'payout' | 'withdrawal',
  amount: bigint,
  destination: string,
): string => [account, channel, amount, destinationKey(destination)].join('/')
