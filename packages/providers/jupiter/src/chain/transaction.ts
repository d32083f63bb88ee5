import type { Signer } from '@payments/swaps'
import {
  type Address,
  type AddressesByLookupTableAddress,
  address,
  appendTransactionMessageInstructions,
  assertIsFullySignedTransaction,
  assertIsTransactionWithinSizeLimit,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  type Instruction,
  isSignerRole,
  isWritableRole,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { InstructionError } from './errors.ts'

/** What a transaction contains. */
export interface Draft {
  readonly instructions: readonly Instruction[]
  readonly feePayer: Address
  readonly lifetime: { readonly blockhash: Blockhash; readonly lastValidBlockHeight: bigint }
  readonly tables?: AddressesByLookupTableAddress
  readonly units: number
  /** Micro-lamports for a compute unit. */
  readonly unitPrice: bigint
}

export interface Signed {
  readonly signature: string
  /** Base64. */
  readonly wire: string
}

/** Assembles a transaction, unsigned. @throws for one that is larger than the network accepts */
export function assemble({ instructions, feePayer, lifetime, tables = {}, units, unitPrice }: Draft): Transaction {
  const all = [
    getSetComputeUnitLimitInstruction({ units }),
    getSetComputeUnitPriceInstruction({ microLamports: unitPrice }),
    ...instructions,
  ]
  const transaction = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => appendTransactionMessageInstructions(all, message),
    (message) => compressTransactionMessageUsingAddressLookupTables(message, tables),
    (message) => setTransactionMessageFeePayer(feePayer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    compileTransaction,
  )
  assertIsTransactionWithinSizeLimit(transaction)
  assertSame(transaction, all, tables)
  return transaction
}

/**
 * Compares a compiled message, account by account, with the instructions that were checked: what is signed is exactly that.
 * @throws InstructionError for any difference
 */
function assertSame(
  { messageBytes }: Transaction,
  instructions: readonly Instruction[],
  tables: AddressesByLookupTableAddress,
): void {
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version !== 0) throw new InstructionError('Another version of transaction')
  const { header, staticAccounts } = message
  const lookups = message.addressTableLookups ?? []
  const looked = (key: 'writableIndexes' | 'readonlyIndexes') =>
    lookups.flatMap((lookup) => lookup[key].map((index) => tables[lookup.lookupTableAddress]?.[index]))
  const writable = looked('writableIndexes')
  const accounts = [...staticAccounts, ...writable, ...looked('readonlyIndexes')]
  const unsigned = staticAccounts.length - header.numSignerAccounts
  const isWritable = (index: number) =>
    index < header.numSignerAccounts
      ? index < header.numSignerAccounts - header.numReadonlySignerAccounts
      : index < staticAccounts.length
        ? index - header.numSignerAccounts < unsigned - header.numReadonlyNonSignerAccounts
        : index < staticAccounts.length + writable.length
  const same =
    message.instructions.length === instructions.length &&
    message.instructions.every(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }, position) => {
      const wanted = instructions[position] as Instruction
      return (
        accounts[programAddressIndex] === wanted.programAddress &&
        accountIndices.length === (wanted.accounts?.length ?? 0) &&
        accountIndices.every((index, each) => {
          const meta = wanted.accounts?.[each]
          return (
            meta !== undefined &&
            accounts[index] === meta.address &&
            (!isSignerRole(meta.role) || index < header.numSignerAccounts) &&
            (!isWritableRole(meta.role) || isWritable(index))
          )
        }) &&
        Buffer.compare(Buffer.from(data), Buffer.from(wanted.data ?? [])) === 0
      )
    })
  if (!same) throw new InstructionError('The assembled transaction differs from the checked instructions')
}

/**
 * Signs with exactly the given keys; the first pays. A transaction that needs another signature, or one fewer, is refused
 * before anything is signed.
 * @throws InstructionError
 */
export async function signWith(transaction: Transaction, signers: readonly Signer[]): Promise<Signed> {
  const needed = Object.keys(transaction.signatures).sort()
  const ours = signers.map((signer) => signer.address).sort()
  if (needed.length !== ours.length || needed.some((each, index) => each !== ours[index]))
    throw new InstructionError('The transaction needs other signatures than ours')
  const signatures = await Promise.all(
    signers.map(
      async (signer) =>
        [
          address(signer.address),
          (await signer.sign(new Uint8Array(transaction.messageBytes))) as SignatureBytes,
        ] as const,
    ),
  )
  const signed = { ...transaction, signatures: Object.fromEntries(signatures) }
  assertIsFullySignedTransaction(signed)
  return { signature: getSignatureFromTransaction(signed), wire: getBase64EncodedWireTransaction(signed) }
}
