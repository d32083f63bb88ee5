import { ProviderError } from '@payments/provider-http'
import { type AddressesByLookupTableAddress, address, type Blockhash, getAddressDecoder } from '@solana/kit'
import { z } from 'zod'
import { readGroup } from './accounts.ts'
import type { Rpc } from './rpc.ts'

const LOOKUP_TABLES = 'AddressLookupTab1e1111111111111111111111111'
/** Bytes of a lookup table before its first address. */
const TABLE_HEADER = 56
const ADDRESS_BYTES = 32

const LatestBlockhash = z.object({
  value: z.object({ blockhash: z.string(), lastValidBlockHeight: z.number().int() }),
})

/** A recent blockhash of our own node: its word on when a transaction expires is what a second one depends on. */
export async function latestBlockhash(rpc: Rpc) {
  const { value } = await rpc.read({
    method: 'getLatestBlockhash',
    params: [{ commitment: 'confirmed' }],
    shape: LatestBlockhash,
  })
  return { blockhash: value.blockhash as Blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
}

/**
 * The contents of lookup tables, from the chain: what an answer says is in a table is not what the transaction will use. Of
 * `own` addresses none is looked up: they stay in the transaction itself.
 */
export async function lookupTables(
  rpc: Rpc,
  tables: readonly string[],
  own: ReadonlySet<string>,
): Promise<AddressesByLookupTableAddress> {
  if (tables.length === 0) return {}
  const snapshot = await readGroup(rpc, tables, 'finalized')
  return Object.fromEntries(
    tables.map((table) => {
      const account = snapshot.get(table)
      if (account?.owner !== LOOKUP_TABLES) throw new ProviderError('unreadable', 'No lookup table at its address')
      const decoder = getAddressDecoder()
      const addresses = Array.from(
        { length: Math.floor((account.data.length - TABLE_HEADER) / ADDRESS_BYTES) },
        (_, index) => decoder.decode(account.data, TABLE_HEADER + index * ADDRESS_BYTES),
      )
      // A table cannot stand for itself, so this entry is never used.
      return [address(table), addresses.map((each) => (own.has(each) ? address(table) : each))]
    }),
  )
}

const Simulation = z.object({
  value: z.object({
    err: z.unknown(),
    unitsConsumed: z.number().int().nonnegative().nullish(),
    accounts: z
      .array(z.object({ data: z.tuple([z.base64(), z.string()]), lamports: z.number(), owner: z.string() }).nullable())
      .nullish(),
  }),
})

/** What a transaction would do now. `failure`: the instruction that would fail and its own code, or nothing of the kind. */
export interface Simulated {
  readonly failed: boolean
  readonly failure?: { readonly instruction: number; readonly code: number | undefined }
  readonly units: number
  after(account: string): { owner: string; lamports: bigint; data: Uint8Array } | undefined
}

/** Simulates an unsigned transaction. */
export async function simulate(rpc: Rpc, wire: string, accounts: readonly string[]): Promise<Simulated> {
  const { value } = await rpc.read({
    method: 'simulateTransaction',
    params: [
      wire,
      {
        encoding: 'base64',
        commitment: 'confirmed',
        sigVerify: false,
        replaceRecentBlockhash: true,
        accounts: { encoding: 'base64', addresses: accounts },
      },
    ],
    shape: Simulation,
  })
  const failed = value.err !== null && value.err !== undefined
  const failure = InstructionFailure.safeParse(value.err).data?.InstructionError
  return {
    failed,
    ...(failure
      ? { failure: { instruction: failure[0], code: typeof failure[1] === 'string' ? undefined : failure[1].Custom } }
      : {}),
    units: value.unitsConsumed ?? 0,
    after(account) {
      const found = value.accounts?.[accounts.indexOf(account)]
      return found
        ? { owner: found.owner, lamports: BigInt(found.lamports), data: Buffer.from(found.data[0], 'base64') }
        : undefined
    },
  }
}

const InstructionFailure = z.object({
  InstructionError: z.tuple([
    z.number().int(),
    z.union([z.string(), z.looseObject({ Custom: z.number().int().optional() })]),
  ]),
})
