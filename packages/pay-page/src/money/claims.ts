import type { Said } from './facts.ts'

export const holders = ['nobody', 'network', 'merchant', 'payer', 'service', 'provider'] as const
export const actors = ['payer', 'merchant', 'service', 'network', 'nobody'] as const

/**
 * What every reader of a situation is told alike: who has the money, who acts next, and until when. The payer reads it in the texts of the
 * table, merchant and operator in the sentences of `readers.ts`; a test compares them.
 */
export interface Claims {
  /**
   * `nobody`: nothing has arrived, or it was never confirmed. `network`: it is being confirmed. `service`: it came back to this service, which
   * sends it on. `provider`: it is on hold there.
   */
  readonly holder: (typeof holders)[number]
  /** Who acts next. `network`: its confirmation is awaited. */
  readonly next: (typeof actors)[number]
  /** Until when that counts, as ISO 8601; null where there is no such time. */
  readonly until: string | null
}

/** What is said of a situation, whoever reads it. */
export function claimsOf({ situation, step, facts, times }: Said): Claims {
  const { outcome, what } = situation
  const payerPays = step === 'pay' || step === 'rest'
  // After the end of an unpaid session the payer starts anew; what they have sent already still counts for a time.
  const until = payerPays || (what === 'nothing' && situation.when === 'grace') ? times.until : null
  switch (outcome) {
    case 'none':
      return { holder: 'nobody', next: payerPays || step === 'again' ? 'payer' : 'nobody', until }
    case 'pending':
      return { holder: 'network', next: 'network', until: null }
    case 'failed':
      return { holder: facts.short ? 'merchant' : 'provider', next: 'service', until: null }
    case 'returning':
      return { holder: 'service', next: 'service', until: null }
    case 'returned':
      return { holder: facts.refundOwner === 'organisation' ? 'merchant' : 'payer', next: nextOf(step), until }
    case 'unconfirmed':
      return { holder: 'nobody', next: nextOf(step), until }
    default: {
      if (facts.decided) return { holder: 'merchant', next: 'nobody', until: null }
      // What is more than was asked for is the merchant's to decide, although the payer has nothing else to do.
      const isOver = what === 'too_much' && facts.paid
      return { holder: 'merchant', next: isOver ? 'merchant' : nextOf(step), until }
    }
  }
}

function nextOf(step: Said['step']): Claims['next'] {
  if (step === 'pay' || step === 'rest' || step === 'again') return 'payer'
  if (step === 'ask' || step === 'ask_open') return 'merchant'
  return 'nobody'
}
