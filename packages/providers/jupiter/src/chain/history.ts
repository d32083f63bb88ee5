import { ProviderError, ProviderId, ProviderSeconds, ProviderUnits } from '@payments/provider-http'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Call, Rpc } from './rpc.ts'

/** Transactions of one page, at most: a limit of nodes. */
const PAGE = 1000

const Signatures = z.array(
  z.object({
    signature: ProviderId,
    slot: z.number().int(),
    err: z.unknown(),
  }),
)
const Balances = z
  .array(
    z.object({ accountIndex: z.number().int(), mint: z.string(), uiTokenAmount: z.object({ amount: ProviderUnits }) }),
  )
  .nullish()
const Transaction = z
  .object({
    slot: z.number().int(),
    blockTime: ProviderSeconds.nullish(),
    transaction: z.object({ message: z.object({ accountKeys: z.array(z.string()) }) }),
    meta: z.object({
      err: z.unknown(),
      // Of accounts that are not ours they may be too large to be exact here: see `lamports`.
      preBalances: z.array(z.number().nonnegative()),
      postBalances: z.array(z.number().nonnegative()),
      preTokenBalances: Balances,
      postTokenBalances: Balances,
      loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
    }),
  })
  .nullable()

/** What one finalized transaction changed. */
export interface Effects {
  readonly failed: boolean
  readonly slot: number
  readonly at: Date
  /** Lamports, by account. */
  lamports(account: string): bigint
  /** Tokens, by token account. */
  tokens(account: string): bigint
}

/** A transaction that touched an account, newest first. */
interface Entry {
  readonly signature: string
  readonly failed: boolean
}

export interface History {
  /** A page of an account's finalized transactions up to a slot, newest first: those before one, and after another. `oldest`: of the page, whatever its slot; `end`: there is no older one. */
  page(
    account: string,
    range: { readonly upTo: number; readonly before?: string; readonly until?: string },
  ): Promise<{ readonly entries: readonly Entry[]; readonly oldest: string | undefined; readonly end: boolean }>
  /** What finalized transactions changed, in the same order; undefined for one that the node does not have. */
  effects(signatures: readonly string[]): Promise<(Effects | undefined)[]>
  /** Reads these transactions again next time: what the node said of them cannot be right. */
  forget(signatures: readonly string[]): void
}

/** Reads the history of accounts. A finalized transaction never changes, so each is read once. */
export function historyReader(rpc: Rpc, pageSize: number = PAGE): History {
  const known = new LRUCache<string, Effects>({ max: 20_000 })
  return {
    async page(account, { upTo, before, until }) {
      const list = await rpc.read({
        method: 'getSignaturesForAddress',
        params: [
          account,
          {
            commitment: 'finalized',
            limit: pageSize,
            minContextSlot: upTo,
            ...(before ? { before } : {}),
            ...(until ? { until } : {}),
          },
        ],
        shape: Signatures,
      })
      return {
        entries: list
          .filter(({ slot }) => slot <= upTo)
          .map(({ signature, err }) => ({ signature, failed: err !== null && err !== undefined })),
        oldest: list.at(-1)?.signature,
        end: list.length < pageSize,
      }
    },

    async effects(signatures) {
      const missing = [...new Set(signatures)].filter((signature) => !known.has(signature))
      const answers = await rpc.readAll(missing.map(transactionCall))
      for (const [index, answer] of answers.entries()) {
        const effects = answer && effectsOf(answer)
        if (effects) known.set(missing[index] as string, effects)
      }
      return signatures.map((signature) => known.get(signature))
    },

    forget(signatures) {
      for (const signature of signatures) known.delete(signature)
    },
  }
}

const transactionCall = (signature: string): Call<typeof Transaction> => ({
  method: 'getTransaction',
  params: [signature, { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 }],
  shape: Transaction,
})

function effectsOf({ slot, blockTime, transaction, meta }: NonNullable<z.output<typeof Transaction>>): Effects {
  if (!blockTime) throw new ProviderError('unreadable', 'A transaction has no time')
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  const keys = [...transaction.message.accountKeys, ...writable, ...readonly]
  if (meta.preBalances.length !== keys.length || meta.postBalances.length !== keys.length)
    throw new ProviderError('unreadable', 'A transaction has other accounts than balances')
  const sumOf = (list: z.output<typeof Balances>) =>
    new Map((list ?? []).map(({ accountIndex, uiTokenAmount }) => [keys[accountIndex], BigInt(uiTokenAmount.amount)]))
  const [before, after] = [sumOf(meta.preTokenBalances), sumOf(meta.postTokenBalances)]
  return {
    failed: meta.err !== null && meta.err !== undefined,
    slot,
    at: blockTime,
    lamports(account) {
      const index = keys.indexOf(account)
      return index < 0 ? 0n : exact(meta.postBalances[index]) - exact(meta.preBalances[index])
    },
    tokens: (account) => (after.get(account) ?? 0n) - (before.get(account) ?? 0n),
  }
}

/** @throws ProviderError for a number that JSON did not carry exactly */
function exact(lamports: number | undefined): bigint {
  if (!Number.isSafeInteger(lamports)) throw new ProviderError('unreadable', 'A balance that is not exact')
  return BigInt(lamports as number)
}
