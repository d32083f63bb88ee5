import { ProviderError, ProviderSeconds } from '@payments/provider-http'
import { address } from '@solana/kit'
import { AccountState, getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { z } from 'zod'
import type { Call, Rpc } from './rpc.ts'

const CLOCK = address('SysvarC1ock11111111111111111111111111111111')
/** Offset of the time in the clock, Unix seconds. */
const UNIX_TIME_AT = 32
/** Accounts of one call, at most: a limit of nodes. */
const MOST_ACCOUNTS = 100

const Slot = z.number().int().nonnegative()
const AccountInfo = z.object({
  data: z.tuple([z.base64(), z.literal('base64')]),
  // Of a wallet that is not ours it may be too large to be exact here; only whether it has something matters then.
  lamports: z.number().nonnegative(),
  owner: z.string(),
})
const Accounts = z.object({ context: z.object({ slot: Slot }), value: z.array(AccountInfo.nullable()) })

export interface Account {
  readonly owner: string
  readonly lamports: bigint
  readonly data: Uint8Array
}

/** Accounts as they were at one slot, whose block has the time `at`. */
export interface Snapshot {
  readonly slot: number
  readonly at: Date
  get(account: string): Account | undefined
}

type Commitment = 'finalized' | 'confirmed'

const accountsCall = (accounts: readonly string[], commitment: Commitment): Call<typeof Accounts> => ({
  method: 'getMultipleAccounts',
  params: [[CLOCK, ...accounts], { commitment, encoding: 'base64' }],
  shape: Accounts,
})

/**
 * Reads groups of accounts, in one batch. The accounts of a group are of one slot, and the clock among them says when that
 * was: a node that is behind answers with an older state and an older time, never with one of the two.
 */
export async function readAccounts(
  rpc: Rpc,
  groups: readonly (readonly string[])[],
  commitment: Commitment,
): Promise<Snapshot[]> {
  const answers = await rpc.readAll(groups.map((accounts) => accountsCall(accounts, commitment)))
  return answers.map(({ context, value }, index) => {
    const accounts = [CLOCK, ...(groups[index] ?? [])]
    if (value.length !== accounts.length) throw new ProviderError('unreadable', 'Accounts are missing in the answer')
    const found = new Map(accounts.map((each, position) => [each as string, value[position] ?? null]))
    const decoded = (account: string): Account | undefined => {
      const info = found.get(account)
      return info
        ? { owner: info.owner, lamports: BigInt(info.lamports), data: Buffer.from(info.data[0], 'base64') }
        : undefined
    }
    const clock = decoded(CLOCK)
    if (!clock || clock.data.length < UNIX_TIME_AT + 8) throw new ProviderError('unreadable', 'No clock in the answer')
    const seconds = Buffer.from(clock.data).readBigInt64LE(UNIX_TIME_AT)
    const at = ProviderSeconds.safeParse(Number(seconds))
    if (!at.success) throw new ProviderError('unreadable', 'The clock in the answer says no time')
    return { slot: context.slot, at: at.data, get: decoded }
  })
}

export const readGroup = async (rpc: Rpc, accounts: readonly string[], commitment: Commitment): Promise<Snapshot> =>
  (await readAccounts(rpc, [accounts], commitment))[0] as Snapshot

/** Owners of accounts that hold no tokens of their own: a wallet's address was meant, not that of its token account. */
const NO_WALLETS: readonly string[] = [TOKEN_PROGRAM_ADDRESS, 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb']

/** Owners of programs: the loaders of Solana (docs of its core programs). */
const LOADERS: readonly string[] = [
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
]

/** What is wrong with a wallet as a receiver of tokens; undefined: nothing. */
export async function walletProblem(rpc: Rpc, wallet: string): Promise<string | undefined> {
  const owner = (await readGroup(rpc, [wallet], 'confirmed')).get(wallet)?.owner ?? ''
  if (NO_WALLETS.includes(owner)) return 'Must be a wallet, not a token account or mint'
  return LOADERS.includes(owner) ? 'Must be a wallet, not a program' : undefined
}

/** Splits items into groups whose accounts fit into one call. */
export function grouped<T>(items: readonly T[], accountsOfEach: number): T[][] {
  const size = Math.floor((MOST_ACCOUNTS - 1) / accountsOfEach)
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** Has the issuer of the currency frozen this token account? Nothing leaves it then, and nothing arrives. */
export const isFrozen = (account: Account | undefined): boolean =>
  account?.owner === TOKEN_PROGRAM_ADDRESS && getTokenDecoder().decode(account.data).state === AccountState.Frozen

/** What a token account holds; undefined when it does not exist. @throws ProviderError for one that is not of this mint and owner */
export function tokensIn(account: Account | undefined, mint: string, owner: string): bigint | undefined {
  if (!account) return undefined
  const token = account.owner === TOKEN_PROGRAM_ADDRESS ? getTokenDecoder().decode(account.data) : undefined
  if (token?.mint !== mint || token.owner !== owner)
    throw new ProviderError('unreadable', 'A token account belongs to another owner')
  return token.amount
}
