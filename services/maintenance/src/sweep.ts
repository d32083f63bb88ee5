import { createInterface } from 'node:readline/promises'
import type { Held, Recovery } from '@payments/jupiter'
import { assets, toDecimal } from '@payments/kernel'
import { type ListedAddress, storeSweep } from '@payments/swaps'
import type { Pool } from 'pg'

/** How long the outcome of a transaction is waited for. */
const PATIENCE_MS = 180_000
const PAUSE_MS = 1000

/** An address with what it holds. */
export interface FoundAddress extends ListedAddress {
  readonly held: readonly Held[]
}

/** `12.5 EURC`; other tokens in their smallest unit, since only their mint is known. */
export const shown = ({ token, amount }: Held): string =>
  token in assets
    ? `${toDecimal(amount, assets[token as keyof typeof assets])} ${token}`
    : `${amount} of the smallest unit of ${token}`

/**
 * What may be swept: everything at an address without a swap; at that of an ended swap only tokens of other kinds, because
 * the swap's own currency is in the journal, and the service sends it back itself.
 */
const sweepable = ({ swapId, currency, inUse, held }: FoundAddress): readonly Held[] =>
  swapId === null ? held : inUse ? [] : held.filter(({ token }) => token !== currency)

/**
 * Shows what would be moved, asks for the wallet's address once more, and moves it: each transaction is stored before it is
 * sent. Returns false when something was not confirmed, so that the command can be run again: it moves what is left.
 */
export async function sweep(
  pool: Pool,
  chain: Recovery,
  found: readonly FoundAddress[],
  wallet: string,
): Promise<boolean> {
  const plan = found.flatMap((each) => {
    const moved = sweepable(each)
    return moved.length > 0 ? [{ ...each, moved }] : []
  })
  if (plan.length === 0) {
    process.stdout.write('Nothing to sweep\n')
    return true
  }
  for (const { address, moved } of plan)
    process.stdout.write(`Would move ${moved.map(shown).join(', ')} from ${address} to ${wallet}\n`)
  if (!(await confirmed(wallet))) {
    process.stderr.write('Not confirmed: nothing was moved\n')
    return false
  }
  let complete = true
  for (const { address, index, moved } of plan) {
    const transaction = await chain.prepare({ depositAddress: address, derivationIndex: index }, moved, wallet)
    await storeSweep(pool, { signature: transaction.signature, environment: 'live', address })
    const status = await settle(chain, transaction)
    process.stdout.write(`${status}\t${address}\t${transaction.signature}\n`)
    if (status !== 'finalized') complete = false
  }
  return complete
}

async function confirmed(wallet: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
    return (await Promise.race([terminal.question('To confirm, type the address of the wallet: '), closed])) === wallet
  } finally {
    terminal.close()
  }
}

/** Sends a transaction until its outcome is known. One that the network has not seen is sent again: it is the same. */
async function settle(chain: Recovery, transaction: Parameters<Recovery['send']>[0]): Promise<string> {
  const end = Date.now() + PATIENCE_MS
  let status = 'unknown'
  while (Date.now() < end) {
    try {
      if (status === 'unknown') await chain.send(transaction)
      status = await chain.outcome(transaction)
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`)
    }
    if (status !== 'unknown' && status !== 'pending') break
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return status
}
