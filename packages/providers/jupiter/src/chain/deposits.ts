import {
  type ChainWithdrawal,
  type Currency,
  currencies,
  type DepositReport,
  type OtherHolding,
  type WatchedAddress,
} from '@payments/swaps'
import { grouped, readAccounts, type Snapshot, tokensIn } from './accounts.ts'
import { type AccountChange, readChanges } from './changes.ts'
import { mapErrors } from './errors.ts'
import type { History } from './history.ts'
import type { Rpc } from './rpc.ts'
import { MINTS, tokenAccountOf } from './tokens.ts'

/** Accounts that are read for each address: the wallet itself, and its token account of each currency. */
const ACCOUNTS = 1 + currencies.length

/** Reports of deposit addresses at the newest finalized slot, in the same order; an error for one that could not be read. */
export async function depositReports(
  rpc: Rpc,
  history: History,
  addresses: readonly WatchedAddress[],
): Promise<(DepositReport | Error)[]> {
  const watched = await Promise.all(
    addresses.map(async (address) => ({
      ...address,
      accounts: new Map(
        await Promise.all(
          currencies.map(async (each) => [each, await tokenAccountOf(address.depositAddress, MINTS[each])] as const),
        ),
      ),
    })),
  )
  const groups = grouped(watched, ACCOUNTS)
  const snapshots = await readAccounts(
    rpc,
    groups.map((group) => group.flatMap(({ depositAddress, accounts }) => [depositAddress, ...accounts.values()])),
    'finalized',
  )
  return Promise.all(
    groups.flatMap((group, index) =>
      group.map((each) =>
        mapErrors(() => reportOf(history, each, snapshots[index] as Snapshot)).catch((error: Error) => error),
      ),
    ),
  )
}

async function reportOf(
  history: History,
  {
    depositAddress,
    currency,
    readTo = null,
    accounts,
    expectedBy,
    ...swap
  }: WatchedAddress & { readonly accounts: ReadonlyMap<Currency, string> },
  snapshot: Snapshot,
): Promise<DepositReport> {
  const heldIn = (each: Currency) => tokensIn(snapshot.get(accounts.get(each) ?? ''), MINTS[each], depositAddress)
  const held = heldIn(currency)
  // An account that does not exist was never paid into, or was closed after everything in it had been sent away: recorded, unless the
  // database has forgotten it.
  const account = accounts.get(currency) ?? ''
  const read =
    held === undefined && !(expectedBy && snapshot.at > expectedBy)
      ? { changes: [], readTo, complete: true }
      : await readChanges(
          history,
          { account, slot: snapshot.slot, held: held ?? 0n, amountOf: (effects) => effects.tokens(account) },
          readTo,
        )
  const lamports = snapshot.get(depositAddress)?.lamports ?? 0n
  const others: OtherHolding[] = currencies
    .filter((each) => each !== currency && (heldIn(each) ?? 0n) > 0n)
    .map((each) => ({ token: MINTS[each], amount: String(heldIn(each)) }))
  if (lamports > 0n) others.push({ token: 'SOL', amount: lamports.toString() })
  return {
    deposits: read.changes.filter(({ amount }) => amount > 0n),
    withdrawals: await withdrawalsOf(history, { currency, ...swap }, read.changes),
    readTo: read.readTo,
    complete: read.complete,
    finalizedAt: snapshot.at,
    holdings: { amount: held ?? 0n, others, closable: currencies.some((each) => heldIn(each) === 0n) },
  }
}

/** What left an address, with what the same transactions brought to the addresses of its swap. */
async function withdrawalsOf(
  history: History,
  { currency, destinationAddress, toCurrency, refundAddress }: Omit<WatchedAddress, 'depositAddress'>,
  changes: readonly AccountChange[],
): Promise<ChainWithdrawal[]> {
  const taken = changes.filter(({ amount }) => amount < 0n)
  if (taken.length === 0) return []
  const accountOf = async (owner: string | undefined, of: Currency | undefined) =>
    owner && of ? tokenAccountOf(owner, MINTS[of]) : ''
  const [destination, refund] = [
    await accountOf(destinationAddress, toCurrency),
    await accountOf(refundAddress, currency),
  ]
  const effects = await history.effects(taken.map(({ txHash }) => txHash))
  return taken.map(({ txHash, amount }, index) => {
    const receivedAmount = effects[index]?.tokens(destination) ?? 0n
    const isRefund = (effects[index]?.tokens(refund) ?? 0n) === -amount
    const kind = receivedAmount > 0n ? 'swap' : isRefund ? 'refund' : 'other'
    return { signature: txHash, amount: -amount, kind, receivedAmount }
  })
}
