import { type Currency, currencies, type DepositReport, type OtherHolding, type WatchedAddress } from '@payments/swaps'
import { grouped, readAccounts, type Snapshot, tokensIn } from './accounts.ts'
import { JupiterError, mapErrors } from './errors.ts'
import type { History } from './history.ts'
import type { Rpc } from './rpc.ts'
import { MINTS, tokenAccountOf } from './tokens.ts'

/** Accounts that are read for each address: the wallet itself, and its token account of each currency. */
const ACCOUNTS = 1 + currencies.length

/** Transactions of a token account up to a slot, whose effects sum up to what it holds. */
export interface TokenHistory {
  readonly signatures: readonly string[]
  readonly deposits: DepositReport['deposits']
}

/**
 * The complete history of a token account. The sum of all changes must be what the account holds at that slot: a node that
 * left a transaction out, or made one up, is found out.
 * @throws JupiterError when the node's answers contradict each other, as they may for a moment
 */
export async function tokenHistory(
  history: History,
  account: string,
  { slot, held }: { readonly slot: number; readonly held: bigint },
): Promise<TokenHistory> {
  const entries = await history.entries(account, slot)
  const successful = entries.filter(({ failed }) => !failed).map(({ signature }) => signature)
  const effects = await history.effects(successful)
  const changes = successful.map((txHash, index) => {
    const effect = effects[index]
    if (!effect || effect.failed) throw new JupiterError('unavailable', 'The node lacks a transaction of its own list')
    return { txHash, amount: effect.tokens(account), at: effect.at }
  })
  if (changes.reduce((sum, { amount }) => sum + amount, 0n) !== held) {
    history.forget(successful)
    throw new JupiterError('unavailable', 'The history of a token account does not sum up to what it holds')
  }
  return {
    signatures: entries.map(({ signature }) => signature),
    deposits: changes.filter(({ amount }) => amount > 0n),
  }
}

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
  { depositAddress, currency, accounts }: WatchedAddress & { readonly accounts: ReadonlyMap<Currency, string> },
  snapshot: Snapshot,
): Promise<DepositReport> {
  const heldIn = (each: Currency) => tokensIn(snapshot.get(accounts.get(each) ?? ''), MINTS[each], depositAddress)
  const held = heldIn(currency)
  // An account that does not exist was never paid into, or was closed after everything in it had been recorded and sent away.
  const deposits =
    held === undefined
      ? []
      : (await tokenHistory(history, accounts.get(currency) ?? '', { slot: snapshot.slot, held })).deposits
  const lamports = snapshot.get(depositAddress)?.lamports ?? 0n
  const others: OtherHolding[] = currencies
    .filter((each) => each !== currency && (heldIn(each) ?? 0n) > 0n)
    .map((each) => ({ token: MINTS[each], amount: String(heldIn(each)) }))
  if (lamports > 0n) others.push({ token: 'SOL', amount: lamports.toString() })
  return {
    deposits,
    finalizedAt: snapshot.at,
    holdings: { amount: held ?? 0n, others, closable: currencies.some((each) => heldIn(each) === 0n) },
  }
}
