import { hash } from 'node:crypto'
import { accountsOf, type Draft, entryOf, transfer } from '@payments/ledger'

/** The part of a step that names a transaction of the chain. Steps are lower-case and short; signatures are neither. */
const named = (signature: string): string => hash('sha256', signature).slice(0, 30)

/** What a swap's postings follow from. */
export interface SwapMoney {
  readonly id: string
  readonly provider: string
  readonly fromCurrency: string
  readonly toCurrency: string
}

/**
 * The journal entries of a swap, each posted once in the transaction that records its cause. `clearing` is what is at the
 * deposit address: it equals the tokens there, so the journal can be compared with the chain.
 */
export function journalOf({ id, provider, fromCurrency: from, toCurrency: to }: SwapMoney) {
  const account = accountsOf(provider)
  const entry = entryOf({ type: 'swap', id })
  const external = account('external', from)
  const held = account('clearing', from)
  return {
    /** A deposit was finalized. */
    received: (txHash: string, amount: bigint): Draft =>
      entry(`received.${named(txHash)}`, ...transfer(amount, external, held)),
    /** The swap was finalized. */
    swapped: (amount: bigint, received: bigint, fees: bigint): Draft =>
      entry(
        'swapped',
        ...transfer(amount, held, account('exchange', from)),
        ...transfer(received, account('exchange', to), account('destination', to)),
        ...transfer(fees, account('exchange', to), account('fees', to)),
      ),
    /** A transaction that sends something back was finalized. */
    returned: (signature: string, amount: bigint): Draft =>
      entry(`returned.${named(signature)}`, ...transfer(amount, held, external)),
  }
}
