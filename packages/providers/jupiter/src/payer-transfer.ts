import { collectionsErrors, type WalletTransactions, type WalletTransfer } from '@payments/collections'
import { type AssetSymbol, assetNamed, tokenContracts } from '@payments/kernel'
import { mapErrors, ProviderError } from '@payments/provider-http'
import { address, createNoopSigner, getBase64EncodedWireTransaction, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getTransferCheckedInstruction } from '@solana-program/token'
import { walletProblem } from './chain/accounts.ts'
import { type Rpc, type RpcOptions, rpcClient } from './chain/rpc.ts'
import { tokenAccountOf } from './chain/tokens.ts'
import { assemble } from './chain/transaction.ts'
import { createTokenAccount, plainDraft } from './transactions/prepare.ts'

const NETWORK = 'solana'
/** Each takes two calls of the node. */
const CALLS_PER_MINUTE = 120

/**
 * Builds the transactions with which payers' wallets pay on Solana. The wallet pays the fee and, where the receiver has no account of the token yet,
 * its rent, as for any transfer.
 */
export function payerTransactions(options: RpcOptions): WalletTransactions {
  const rpc = rpcClient(options)
  return {
    name: NETWORK,
    networkKey: NETWORK,
    callsPerMinute: CALLS_PER_MINUTE,
    build: (transfer) =>
      mapErrors(() => build(rpc, transfer), {
        unavailable: collectionsErrors.transaction_unavailable,
        failed: collectionsErrors.transaction_failed,
      }),
  }
}

async function build(rpc: Rpc, { payer, payee, currency, units }: WalletTransfer): Promise<string> {
  const [problem, instructions] = await Promise.all([
    walletProblem(rpc, payee),
    currency === 'SOL' ? solTransfer(payer, payee, units) : tokenTransfer({ payer, payee, currency, units }),
  ])
  // Tokens sent to a token account as if it were a wallet are lost.
  if (problem) throw new ProviderError('rejected', 'The deposit address is no wallet')
  return getBase64EncodedWireTransaction(assemble(await plainDraft({ rpc }, address(payer), instructions)))
}

const solTransfer = async (payer: string, payee: string, amount: bigint): Promise<Instruction[]> => [
  getTransferSolInstruction({ source: createNoopSigner(address(payer)), destination: address(payee), amount }),
]

async function tokenTransfer({ payer, payee, currency, units }: WalletTransfer): Promise<Instruction[]> {
  const contract = tokenContracts[NETWORK]?.[currency as AssetSymbol]
  if (!contract) throw new ProviderError('rejected', `No token ${currency}`)
  const mint = address(contract)
  const [source, destination] = await Promise.all([tokenAccountOf(payer, mint), tokenAccountOf(payee, mint)])
  return [
    createTokenAccount(address(payer), address(payee), mint, destination),
    getTransferCheckedInstruction({
      source,
      mint,
      destination,
      authority: createNoopSigner(address(payer)),
      amount: units,
      decimals: assetNamed(currency).decimals,
    }),
  ]
}
