/** What a decision depends on, of a payment as it is stored or as it is shown. */
interface Decidable {
  readonly status: string
  readonly counts: boolean
  readonly resolution?: unknown
}

/**
 * The payments about which the merchant has to decide: each that was delivered and does not count by itself; else, of a session that expired with
 * a part of its amount, the last one, until any part has been decided.
 * @param isShort less was delivered than was promised: an operator settles that first
 */
export function undecided<P extends Decidable>(
  status: string,
  payments: readonly P[],
  isShort: (payment: P) => boolean,
): readonly P[] {
  const delivered = payments.filter((payment) => payment.status === 'completed')
  const apart = delivered.filter((payment) => !payment.counts && !payment.resolution && !isShort(payment))
  if (apart.length > 0 || status !== 'expired') return apart
  const parts = delivered.filter(({ counts }) => counts)
  return parts.some(({ resolution }) => resolution) ? [] : parts.slice(-1)
}
