import type { FeePayer, PreparedTransaction } from '@payments/swaps'
import { address, createNoopSigner } from '@solana/kit'
import { getCloseAccountInstruction, getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { z } from 'zod'
import { readGroup } from './chain/accounts.ts'
import { readChanges } from './chain/changes.ts'
import type { History } from './chain/history.ts'
import type { Rpc } from './chain/rpc.ts'
import { assemble, signWith } from './chain/transaction.ts'
import { keysOf, plainDraft, prepared, type Signing } from './transactions/prepare.ts'

/** Token accounts that one transaction closes. */
const MOST_CLOSED = 8

const TokenAccounts = z.object({
  value: z.array(
    z.object({ pubkey: z.string(), account: z.object({ data: z.tuple([z.base64(), z.literal('base64')]) }) }),
  ),
})

/** The token accounts of a wallet, of any mint. */
export async function tokenAccounts(rpc: Rpc, owner: string) {
  const { value } = await rpc.read({
    method: 'getTokenAccountsByOwner',
    params: [owner, { programId: TOKEN_PROGRAM_ADDRESS }, { commitment: 'finalized', encoding: 'base64' }],
    shape: TokenAccounts,
  })
  return value.map(({ pubkey, account }) => {
    const { mint, amount } = getTokenDecoder().decode(Buffer.from(account.data[0], 'base64'))
    return { account: address(pubkey), mint, amount }
  })
}

/**
 * Signs a transaction that closes the empty token accounts of an address; their rent goes to the fee payer. The network
 * refuses to close one into which something has arrived meanwhile. Null when there is none, and in a process without keys.
 */
export async function prepareClose(
  of: Signing,
  own: { readonly depositAddress: string; readonly derivationIndex: number },
): Promise<PreparedTransaction | null> {
  if (!of.signers) return null
  const { feePayer, key } = keysOf(of, own)
  const empty = (await tokenAccounts(of.rpc, key.address)).filter(({ amount }) => amount === 0n).slice(0, MOST_CLOSED)
  const [first] = empty
  if (!first) return null
  const payer = address(feePayer.address)
  const draft = await plainDraft(
    of,
    payer,
    empty.map(({ account }) =>
      getCloseAccountInstruction({ account, destination: payer, owner: createNoopSigner(address(key.address)) }),
    ),
  )
  return prepared(await signWith(assemble(draft), [feePayer, key]), draft, {
    source: first.account,
    owner: key.address,
    mint: first.mint,
    amount: 0n,
  })
}

/** Reads the fee payer and what changed its balance since `readTo`: see {@link readChanges}. */
export async function readFeePayer(
  { rpc, signers }: Signing,
  history: History,
  readTo: string | null,
): Promise<FeePayer | null> {
  if (!signers) return null
  const { address: account } = signers.feePayer
  const snapshot = await readGroup(rpc, [account], 'finalized')
  const lamports = snapshot.get(account)?.lamports ?? 0n
  const read = await readChanges(
    history,
    { account, slot: snapshot.slot, held: lamports, failedToo: true, amountOf: (effects) => effects.lamports(account) },
    readTo,
  )
  return {
    address: account,
    lamports,
    changes: read.changes.map(({ txHash, amount }) => ({ signature: txHash, lamports: amount })),
    readTo: read.readTo,
  }
}
