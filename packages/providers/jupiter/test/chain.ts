import { randomBytes } from 'node:crypto'
import type { Currency } from '@payments/swaps'
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  type EncodedAccount,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Instruction,
  type KeyPairSigner,
  lamports,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  AccountState,
  getCreateAssociatedTokenIdempotentInstruction,
  getFreezeAccountInstruction,
  getMintEncoder,
  getThawAccountInstruction,
  getTokenDecoder,
  getTokenEncoder,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import bs58 from 'bs58'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { DECIMALS, MINTS, tokenAccountOf } from './facts.ts'
import { POOL_SEED, poolProgram } from './pool.ts'

export const JUPITER = address('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4')
/** Blocks for which a blockhash is accepted. */
const LIFETIME = 150
/** Slots without a block, so that slots and block heights differ. */
const SKIPPED = 7
const MUCH = 10n ** 15n
/** Where a token account has its state: after mint, owner, amount and delegate (spl-token, `Account`). */
const STATE_AT = 108

/** A transaction that was executed. */
export interface Executed {
  readonly signature: string
  readonly slot: number
  readonly err: unknown
  readonly keys: readonly string[]
  /** How many of the keys are in the transaction itself. */
  readonly statics: number
  readonly lamports: readonly (readonly [before: bigint, after: bigint])[]
  readonly tokens: readonly (readonly [before: TokenState | null, after: TokenState | null])[]
}
interface TokenState {
  readonly mint: string
  readonly owner: string
  readonly amount: bigint
}
interface Stored {
  readonly slot: number
  readonly account: EncodedAccount | null
}

/** A blockchain: the real virtual machine with the real token program, and what a validator adds to it: slots, blocks, finality. */
export class Chain {
  readonly svm = new LiteSVM().withBlockhashCheck(false)
  readonly executed = new Map<string, Executed>()
  slot = 1000
  finalized = 1000
  /** How far the chain's clock is ahead of ours, s. */
  aheadSeconds = 0
  /** Decides for each transaction that is not a payer's whether it is accepted by the node and never makes it into a block. */
  loses: () => boolean = () => false
  readonly payer: KeyPairSigner
  readonly pool: Address
  readonly #times: number[] = []
  readonly #hashes = new Map<string, number>()
  readonly #states = new Map<string, Stored[]>()

  private constructor(payer: KeyPairSigner, pool: Address) {
    this.payer = payer
    this.pool = pool
    this.#times[this.slot] = this.#now()
  }

  /** With both mints at their real addresses, and a pool of both at Jupiter's address. */
  static async start(): Promise<Chain> {
    const [pool, bump] = await getProgramDerivedAddress({ programAddress: JUPITER, seeds: [POOL_SEED] })
    const chain = new Chain(await generateKeyPairSigner(), pool)
    chain.svm.addProgram(JUPITER, poolProgram(bump))
    chain.fund(chain.payer.address, 1_000_000_000_000n)
    for (const mint of Object.values(MINTS)) {
      // Both have a freeze authority: USDC and EURC are Circle's, which freezes accounts (accounts of the mints at mainnet-beta).
      const authority = chain.payer.address
      const options = { mintAuthority: authority, freezeAuthority: authority, isInitialized: true }
      chain.put(mint, getMintEncoder().encode({ ...options, supply: 10n * MUCH, decimals: DECIMALS }))
      for (const owner of [pool, chain.payer.address]) await chain.hold(owner, mint, MUCH)
    }
    return chain
  }

  #now = () => Math.floor(Date.now() / 1000) + this.aheadSeconds

  /** An account of the token program, as if it had always been there. */
  put(account: Address, data: ArrayLike<number>, programAddress: Address = TOKEN_PROGRAM_ADDRESS): void {
    const stored = {
      address: account,
      data: Uint8Array.from(data),
      executable: false,
      lamports: lamports(this.svm.minimumBalanceForRentExemption(BigInt(data.length))),
      programAddress,
      space: BigInt(data.length),
    }
    this.svm.setAccount(stored)
    this.#states.set(account, [{ slot: 0, account: stored }])
  }

  /** Tokens of a wallet, as if they had always been there. */
  async hold(owner: Address, mint: Address, amount: bigint): Promise<void> {
    const state = { delegate: null, state: AccountState.Initialized, isNative: null, delegatedAmount: 0n }
    this.put(
      await tokenAccountOf(owner, mint),
      getTokenEncoder().encode({ mint, owner, amount, ...state, closeAuthority: null }) as Uint8Array,
    )
  }

  /** Lamports of a wallet, as if they had always been there. */
  fund(wallet: Address, amount: bigint): void {
    this.svm.airdrop(wallet, lamports(amount))
    this.#remember(wallet, 0)
  }

  /** A transfer of lamports to a wallet, which is in its history. */
  async payLamports(wallet: string, amount: bigint): Promise<void> {
    await this.send([getTransferSolInstruction({ source: this.payer, destination: address(wallet), amount })])
    this.advance()
  }

  #remember(account: string, slot: number): void {
    const now = this.svm.getAccount(address(account))
    const states = this.#states.get(account) ?? []
    states.push({ slot, account: now.exists ? (now as EncodedAccount) : null })
    this.#states.set(account, states)
  }

  /** An account as it was at the end of a slot. */
  at(account: string, slot: number): EncodedAccount | null {
    const states = this.#states.get(account)
    if (states) return states.findLast((each) => each.slot <= slot)?.account ?? null
    const now = this.svm.getAccount(address(account))
    return now.exists ? (now as EncodedAccount) : null
  }

  /** Tokens of a wallet, as they are now. */
  async tokens(owner: string, currency: Currency): Promise<bigint> {
    return this.#tokenState(await tokenAccountOf(owner, MINTS[currency]))?.amount ?? 0n
  }

  lamportsOf = (wallet: string): bigint => this.svm.getBalance(address(wallet)) ?? 0n

  #tokenState(account: string): TokenState | null {
    const now = this.svm.getAccount(address(account))
    if (!now.exists || now.programAddress !== TOKEN_PROGRAM_ADDRESS || now.data.length !== 165) return null
    const { mint, owner, amount } = getTokenDecoder().decode(now.data)
    return { mint, owner, amount }
  }

  /** New blocks. Without `finalize`, the newest finalized one stays. */
  advance(slots = 1, finalize = true): void {
    for (let count = 0; count < slots; count++) this.#times[++this.slot] = this.#now()
    if (finalize) this.finalized = this.slot
  }

  /** The time of a block, Unix seconds. */
  timeOf = (slot: number): number => this.#times[slot] as number
  heightOf = (slot: number): number => slot - SKIPPED

  newBlockhash(): { blockhash: Blockhash; lastValidBlockHeight: number } {
    const blockhash = bs58.encode(randomBytes(32)) as Blockhash
    const lastValidBlockHeight = this.heightOf(this.slot) + LIFETIME
    this.#hashes.set(blockhash, lastValidBlockHeight)
    return { blockhash, lastValidBlockHeight }
  }

  /** Takes a transaction as a node does: a known or expired one changes nothing, a failing one costs its fee. */
  submit(wire: string): string {
    const transaction = getTransactionDecoder().decode(Buffer.from(wire, 'base64'))
    const signature = getSignatureFromTransaction(transaction as never)
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    const lastValid = this.#hashes.get((message as { lifetimeToken: string }).lifetimeToken) ?? -1
    if (this.executed.has(signature) || this.heightOf(this.slot) >= lastValid) return signature
    if (this.keysOf(transaction)[0] !== this.payer.address && this.loses()) return signature
    this.advance(1, false)
    const keys = this.keysOf(transaction)
    const before = keys.map((key) => ({ lamports: this.lamportsOf(key), token: this.#tokenState(key) }))
    this.svm.expireBlockhash()
    const result = this.svm.sendTransaction(transaction)
    // What the machine refuses before it runs makes it into no block.
    const err = result instanceof FailedTransactionMetadata ? errorOf(result) : null
    if (typeof err === 'string') return signature
    this.executed.set(signature, {
      signature,
      slot: this.slot,
      err,
      keys,
      statics: (message as { staticAccounts: readonly string[] }).staticAccounts.length,
      lamports: keys.map((key, index) => [before[index]?.lamports ?? 0n, this.lamportsOf(key)]),
      tokens: keys.map((key, index) => [before[index]?.token ?? null, this.#tokenState(key)]),
    })
    for (const key of keys) this.#remember(key, this.slot)
    return signature
  }

  /** Every account of a transaction, those of lookup tables after its own. */
  keysOf({ messageBytes }: Pick<Transaction, 'messageBytes'>): string[] {
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    if (message.version !== 0) throw new Error('Only version 0')
    const lookups = message.addressTableLookups ?? []
    const looked = (key: 'writableIndexes' | 'readonlyIndexes') =>
      lookups.flatMap((lookup) => {
        const table = this.svm.getAccount(lookup.lookupTableAddress)
        if (!table.exists) throw new Error('No such table')
        return lookup[key].map((index) => bs58.encode(table.data.slice(56 + index * 32, 88 + index * 32)))
      })
    return [...message.staticAccounts, ...looked('writableIndexes'), ...looked('readonlyIndexes')]
  }

  /** What a transaction would do, without doing it and without its signatures. */
  simulate(wire: string, accounts: readonly string[]) {
    const transaction = getTransactionDecoder().decode(Buffer.from(wire, 'base64'))
    this.svm.withSigverify(false)
    const result = this.svm.simulateTransaction(transaction)
    this.svm.withSigverify(true)
    const failed = result instanceof FailedTransactionMetadata
    const after = failed ? [] : result.postAccounts()
    return {
      err: failed ? errorOf(result) : null,
      unitsConsumed: Number(result.meta().computeUnitsConsumed()),
      accounts: failed
        ? null
        : accounts.map((each) => after.find((one) => one.address === each) ?? this.at(each, this.slot)),
    }
  }

  /** Sends instructions that a payer signs. Returns the signature. */
  async send(instructions: readonly Instruction[], signer: KeyPairSigner = this.payer): Promise<string> {
    const lifetime = this.newBlockhash()
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => appendTransactionMessageInstructions(instructions, empty),
      (one) => setTransactionMessageFeePayer(signer.address, one),
      (one) =>
        setTransactionMessageLifetimeUsingBlockhash(
          { ...lifetime, lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight) },
          one,
        ),
    )
    const signed = await partiallySignTransaction([signer.keyPair], compileTransaction(message))
    return this.submit(getBase64EncodedWireTransaction(signed as never))
  }

  /** The issuer freezes a wallet's token account, or lets it go again. */
  async freeze(owner: string, currency: Currency, frozen = true): Promise<void> {
    const [mint, authority] = [MINTS[currency], this.payer]
    const account = await tokenAccountOf(owner, mint)
    const instruction = frozen ? getFreezeAccountInstruction : getThawAccountInstruction
    await this.send([instruction({ account, mint, owner: authority })])
    this.advance()
  }

  /** The same, within a transaction that is under way: the account is changed as it stands. */
  freezeNow(account: Address, frozen = true): void {
    const now = this.svm.getAccount(account)
    if (!now.exists) throw new Error(`No account ${account}`)
    const state = frozen ? AccountState.Frozen : AccountState.Initialized
    this.svm.setAccount({ ...now, data: Uint8Array.from(now.data, (byte, at) => (at === STATE_AT ? state : byte)) })
    this.#remember(account, this.slot)
  }

  /** A payer's transfer to a wallet: creates its token account, as wallets do. */
  async pay(owner: string, currency: Currency, amount: bigint): Promise<string> {
    const mint = MINTS[currency]
    const [source, destination] = [await tokenAccountOf(this.payer.address, mint), await tokenAccountOf(owner, mint)]
    return this.send([
      getCreateAssociatedTokenIdempotentInstruction({
        payer: this.payer,
        ata: destination,
        owner: address(owner),
        mint,
      }),
      getTransferCheckedInstruction({ source, mint, destination, authority: this.payer, amount, decimals: DECIMALS }),
    ])
  }
}

/** The failure as a node names it: an object for one of an instruction, a text for one that kept it out of a block. */
function errorOf(failed: FailedTransactionMetadata): unknown {
  const err = failed.err()
  if (!(typeof err === 'object' && err !== null && 'index' in err && 'err' in err)) return String(err)
  const inner = err.err()
  const code = typeof inner === 'object' && 'code' in inner ? { Custom: inner.code } : String(inner)
  return { InstructionError: [err.index, code] }
}
