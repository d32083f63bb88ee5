import type { Settings } from '@payments/platform'
import { ProviderError } from '@payments/provider-http'
import { type PreparedTransaction, signersOf, type TransactionOutcome } from '@payments/swaps'
import { type Address, address, createNoopSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getCloseAccountInstruction,
  getMintDecoder,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { grouped, readAccounts, readGroup, walletProblem } from './chain/accounts.ts'
import { historyReader } from './chain/history.ts'
import { rpcClient } from './chain/rpc.ts'
import { MINTS, tokenAccountOf } from './chain/tokens.ts'
import { assemble, signWith } from './chain/transaction.ts'
import { jupiterSettings } from './settings.ts'
import { outcomeOf, send } from './transactions/outcome.ts'
import { createTokenAccount, keysOf, plainDraft, prepared, type Signing } from './transactions/prepare.ts'
import { tokenAccounts } from './upkeep.ts'

/** Token accounts that one transaction sweeps. Another run sweeps the rest. */
const MOST_SWEPT = 6

/** Something at an address. */
export interface Held {
  /** `EURC`, `USDC`, `SOL`, or the mint of another token. */
  readonly token: string
  /** In the token's smallest unit. */
  readonly amount: bigint
  /** The token account; undefined for SOL. */
  readonly account?: Address
  readonly mint?: Address
}

/** Reads what is at derived addresses, and moves it away. */
export interface Recovery {
  /** The wallet that pays for sweeps. */
  readonly feePayer: string
  /** What addresses hold, in the same order: the tokens of the token program, and SOL. */
  held(addresses: readonly string[]): Promise<Held[][]>
  /** Signs a transaction that moves these things to a wallet and closes their accounts. */
  prepare(
    own: { depositAddress: string; derivationIndex: number },
    held: readonly Held[],
    wallet: string,
  ): Promise<PreparedTransaction>
  send(transaction: PreparedTransaction): Promise<void>
  outcome(transaction: PreparedTransaction): Promise<TransactionOutcome['status']>
  /** What is wrong with a wallet as a receiver; undefined: nothing. */
  checkWallet(wallet: string): Promise<string | undefined>
}

const SYMBOLS = new Map(Object.entries(MINTS).map(([symbol, mint]) => [mint as string, symbol]))

/** Works on live addresses with the keys of `SWAP_SEED`, through the node of `SOLANA_RPC_URL`; undefined if one is not set. */
export function recovery(settings: Settings): Recovery | undefined {
  const { SOLANA_RPC_URL } = jupiterSettings.from(settings)
  const signers = signersOf(settings, 'live')
  if (!SOLANA_RPC_URL || !signers) return undefined
  const rpc = rpcClient({ rpcUrl: SOLANA_RPC_URL })
  const history = historyReader(rpc)
  const signing: Signing = { rpc, signers }
  return {
    feePayer: signers.feePayer.address,

    async held(addresses) {
      const groups = grouped(addresses, 1)
      const snapshots = await readAccounts(rpc, groups, 'finalized')
      const found = groups.flatMap((group, index) =>
        group.map((each) => ({ each, lamports: snapshots[index]?.get(each)?.lamports ?? 0n })),
      )
      const tokens = await Promise.all(found.map(({ each }) => tokenAccounts(rpc, each)))
      return found.map(({ lamports }, index) => [
        ...(tokens[index] ?? [])
          .filter(({ amount }) => amount > 0n)
          .map((each) => ({ ...each, token: SYMBOLS.get(each.mint) ?? each.mint })),
        ...(lamports > 0n ? [{ token: 'SOL', amount: lamports }] : []),
      ])
    },

    async prepare(own, held, wallet) {
      const { feePayer, key } = keysOf(signing, own)
      const [payer, owner, receiver] = [address(feePayer.address), address(key.address), address(wallet)]
      const tokens = held.filter((each) => each.account !== undefined).slice(0, MOST_SWEPT)
      const instructions: Instruction[] = []
      for (const { account, mint, amount } of tokens as Required<Held>[]) {
        const destination = await tokenAccountOf(wallet, mint)
        const authority = createNoopSigner(owner)
        const decimals = await decimalsOf(mint)
        instructions.push(
          createTokenAccount(payer, receiver, mint, destination),
          getTransferCheckedInstruction({ source: account, mint, destination, authority, amount, decimals }),
          getCloseAccountInstruction({ account, destination: payer, owner: authority }),
        )
      }
      const sol = held.find(({ token }) => token === 'SOL')
      if (sol)
        instructions.push(
          getTransferSolInstruction({ source: createNoopSigner(owner), destination: receiver, amount: sol.amount }),
        )
      const units = 60_000 * Math.max(2, instructions.length)
      const draft = { ...(await plainDraft(signing, payer, instructions)), units }
      const [first] = tokens
      return prepared(await signWith(assemble(draft), [feePayer, key]), draft, {
        source: first?.account ?? owner,
        owner,
        mint: first?.mint ?? MINTS.EURC,
        amount: first?.amount ?? 0n,
      })
    },

    send: (transaction) => send(rpc, transaction),
    outcome: async (transaction) => (await outcomeOf(rpc, history, transaction)).status,
    checkWallet: (wallet) => walletProblem(rpc, wallet),
  }

  async function decimalsOf(mint: Address): Promise<number> {
    const account = (await readGroup(rpc, [mint], 'finalized')).get(mint)
    if (account?.owner !== TOKEN_PROGRAM_ADDRESS) throw new ProviderError('unreadable', 'No mint at its address')
    return getMintDecoder().decode(account.data).decimals
  }
}
