import { ProviderError } from '@payments/provider-http'
import {
  type PreparedTransaction,
  type Signer,
  type SwapSigners,
  type SwapsProvider,
  swapsErrors,
} from '@payments/swaps'
import {
  type Address,
  address,
  createNoopSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  isSolanaError,
  SOLANA_ERROR__TRANSACTION__EXCEEDS_SIZE_LIMIT,
} from '@solana/kit'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { z } from 'zod'
import type { JupiterClient } from '../api/client.ts'
import type { Build } from '../api/wire.ts'
import { isFrozen, readGroup, tokensIn } from '../chain/accounts.ts'
import { latestBlockhash, lookupTables, type Simulated, simulate } from '../chain/network.ts'
import type { Rpc } from '../chain/rpc.ts'
import { DECIMALS, MINTS, tokenAccountOf } from '../chain/tokens.ts'
import { assemble, type Draft, type Signed, signWith } from '../chain/transaction.ts'
import { checkRoute, type Intent } from './instructions.ts'

/** Jupiter's own error of a swap whose output is below its floor. */
const SLIPPAGE_EXCEEDED = 6001
const MOST_UNITS = 1_400_000
/** Compute units beyond what a simulation used, in percent: the chain may have moved on. */
const SPARE_PERCENT = 20
/** What a refund, a closing or a sweep uses at most, and what it offers for a unit in micro-lamports. */
const PLAIN_UNITS = 120_000
const PLAIN_UNIT_PRICE = 25_000n
const SIGNATURE_LAMPORTS = 5000n
const MICRO = 1_000_000n
const WHOLE = 10_000n

export interface Signing {
  readonly rpc: Rpc
  readonly signers: SwapSigners | undefined
}

export interface Preparation extends Signing {
  readonly jupiter: JupiterClient
  /** Most that one transaction costs the fee payer, without rents. */
  readonly mostLamports: bigint
}

type SwapRequest = Parameters<SwapsProvider['prepareSwap']>[0]
type RefundRequest = Parameters<SwapsProvider['prepareRefund']>[0]

/** What `outcome` must know of a transaction, besides its signature. */
export const Payload = z.object({
  wire: z.base64(),
  blockhash: z.string(),
  lastValidBlockHeight: z.number().int(),
  /** Where the tokens come from: a token account of this owner and mint. */
  source: z.string(),
  owner: z.string(),
  mint: z.string(),
  /** Missing for upkeep, which moves no money of a swap. */
  destination: z.string().optional(),
  amount: z.string().regex(/^\d+$/).transform(BigInt),
  /** Pays the fee and the rents. */
  payer: z.string().optional(),
  /** How far the history of the source went when this was signed: whether it was accepted stands after that. */
  readTo: z.string().optional(),
})

/** The keys of an address. @throws swap_provider_unavailable 503 in a process without keys, swap_provider_failed 502 for another address */
export function keysOf(
  { signers }: Pick<Signing, 'signers'>,
  own: { readonly depositAddress: string; readonly derivationIndex: number },
): { readonly feePayer: Signer; readonly key: Signer } {
  if (!signers) throw swapsErrors.swap_provider_unavailable({ retryAfter: 5 })
  const key = signers.deposit(own.derivationIndex)
  if (key.address !== own.depositAddress)
    throw swapsErrors.swap_provider_failed({ cause: new Error('The index derives another address') })
  return { feePayer: signers.feePayer, key }
}

/** Names a signed transaction for the time after it was stored. */
export const prepared = (
  { signature, wire }: Signed,
  { lifetime, feePayer: payer }: Draft,
  money: {
    readonly source: string
    readonly owner: string
    readonly mint: string
    readonly destination?: string
    readonly amount: bigint
    readonly readTo?: string
  },
): PreparedTransaction => ({
  signature,
  payload: JSON.stringify({
    wire,
    blockhash: lifetime.blockhash,
    lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
    payer,
    ...money,
    amount: money.amount.toString(),
  }),
})

/** A transaction of our own instructions only. */
export async function plainDraft(
  { rpc }: Pick<Signing, 'rpc'>,
  feePayer: Address,
  instructions: readonly Instruction[],
): Promise<Draft> {
  const lifetime = await latestBlockhash(rpc)
  return { instructions, feePayer, lifetime, units: PLAIN_UNITS, unitPrice: PLAIN_UNIT_PRICE }
}

/** Creates the token account of a wallet, unless it exists, at the fee payer's cost. */
export const createTokenAccount = (feePayer: Address, owner: Address, mint: Address, ata: Address): Instruction =>
  getCreateAssociatedTokenIdempotentInstruction({ payer: createNoopSigner(feePayer), ata, owner, mint })

/** Rent of a token account, lamports: (128 + 165 bytes) at 3,480 a year for two years, as the network's rent parameters are. */
const ACCOUNT_RENT = 2_039_280n

/** What the network takes for a transaction with two signatures; it rounds the price of the units up. */
const feeOf = ({ units, unitPrice }: Pick<Draft, 'units' | 'unitPrice'>): bigint =>
  2n * SIGNATURE_LAMPORTS + (BigInt(units) * unitPrice + MICRO - 1n) / MICRO

/**
 * Signs a refund: what arrived goes to the token account of the refund address. One that does not exist is created where the request
 * allows it: its owner can close it and keep the rent, which the fee payer paid.
 */
export async function prepareRefund(
  of: Preparation,
  request: RefundRequest,
): ReturnType<SwapsProvider['prepareRefund']> {
  const { feePayer, key } = keysOf(of, request)
  const mint = MINTS[request.currency]
  const [payer, owner] = [address(feePayer.address), address(request.refundAddress)]
  const source = await tokenAccountOf(key.address, mint)
  const destination = await tokenAccountOf(owner, mint)
  const { amount } = request
  const now = await readGroup(of.rpc, [source, destination], 'confirmed')
  if ([source, destination].some((each) => isFrozen(now.get(each)))) return { waits: 'account_frozen' }
  const createsAccount = tokensIn(now.get(destination), mint, owner) === undefined
  if (createsAccount && !request.mayCreateAccount) return { waits: 'account_missing' }
  const draft = await plainDraft(of, payer, [
    ...(createsAccount ? [createTokenAccount(payer, owner, mint, destination)] : []),
    getTransferCheckedInstruction({
      source,
      mint,
      destination,
      authority: createNoopSigner(address(key.address)),
      amount,
      decimals: DECIMALS,
    }),
  ])
  return {
    ...prepared(await signWith(assemble(draft), [feePayer, key]), draft, {
      source,
      owner: key.address,
      mint,
      destination,
      amount,
      ...(request.readTo ? { readTo: request.readTo } : {}),
    }),
    createsAccount,
    costLamports: feeOf(draft) + (createsAccount ? ACCOUNT_RENT : 0n),
  }
}

/**
 * Gets a quote that guarantees the minimum, checks and simulates what is to be signed, and signs it. A route whose transaction is
 * larger than the network accepts is asked for again with fewer accounts.
 */
export async function prepareSwap(of: Preparation, request: SwapRequest): ReturnType<SwapsProvider['prepareSwap']> {
  const { feePayer, key } = keysOf(of, request)
  const intent = await intentOf(request, feePayer.address)
  const now = await readGroup(of.rpc, [intent.source, intent.destination], 'confirmed')
  if ([intent.source, intent.destination].some((each) => isFrozen(now.get(each)))) return { refused: 'account_frozen' }
  for (const maxAccounts of MOST_ACCOUNTS) {
    const build = await quote(of.jupiter, request, intent, maxAccounts)
    if (typeof build === 'string') return { refused: build }
    const draft = await draftOf(of, build, intent)
    if (!fits(draft)) continue
    const effect = await tryOut(of, draft, intent, draft.floor)
    if (typeof effect === 'string') return { refused: effect }
    const units = Math.min(Math.ceil((effect.units * (100 + SPARE_PERCENT)) / 100), MOST_UNITS)
    const final = { ...draft, units, unitPrice: affordable(draft.unitPrice, units, of.mostLamports) }
    const { source, destination, taker: owner, inputMint: mint, amount } = intent
    return {
      ...prepared(await signWith(assemble(final), [feePayer, key]), final, {
        source,
        owner,
        mint,
        destination,
        amount,
        ...(request.readTo ? { readTo: request.readTo } : {}),
      }),
      createsAccount: effect.createsAccount,
      costLamports: feeOf(final) + (effect.createsAccount ? ACCOUNT_RENT : 0n),
    }
  }
  return { refused: 'no_route' }
}

/**
 * Checks what Jupiter wants signed for a swap as {@link prepareSwap} does, without a deposit and without a signature.
 * @throws InstructionError where it would be refused
 */
export async function rehearseSwap(
  of: Preparation & { readonly signers: SwapSigners },
  request: SwapRequest,
): Promise<'price_moved' | 'no_route' | 'accepted'> {
  const intent = await intentOf(request, of.signers.feePayer.address)
  const build = await quote(of.jupiter, request, intent, MOST_ACCOUNTS[0] as number)
  if (typeof build === 'string') return build
  await draftOf(of, build, intent)
  return 'accepted'
}

/** Accounts that a route may use: Jupiter's default first. */
const MOST_ACCOUNTS = [64, 40, 28, 20]

async function draftOf(of: Preparation, build: Build, intent: Intent): Promise<Draft & { readonly floor: bigint }> {
  const route = await checkRoute(build, intent)
  const { feePayer: payer, destination, outputMint, receiver } = intent
  const own = new Set<string>([...Object.values(intent).map(String), ...Object.values(MINTS), TOKEN_PROGRAM_ADDRESS])
  return {
    instructions: [createTokenAccount(payer, receiver, outputMint, destination), ...route.setup, route.swap],
    feePayer: payer,
    lifetime: await latestBlockhash(of.rpc),
    tables: await lookupTables(of.rpc, Object.keys(build.addressesByLookupTableAddress ?? {}), own),
    units: MOST_UNITS,
    unitPrice: route.unitPrice,
    floor: route.floor,
  }
}

/** Whether the network accepts a transaction of this size. */
function fits(draft: Draft): boolean {
  try {
    assemble(draft)
    return true
  } catch (error) {
    if (isSolanaError(error, SOLANA_ERROR__TRANSACTION__EXCEEDS_SIZE_LIMIT)) return false
    throw error
  }
}

/** The price of a compute unit, at most such that the fee stays within JUPITER_MAX_FEE_SOL: a lower one is slower, never refused. */
function affordable(unitPrice: bigint, units: number, mostLamports: bigint): bigint {
  const most = ((mostLamports - 2n * SIGNATURE_LAMPORTS) * MICRO) / BigInt(Math.max(units, 1))
  return unitPrice < most ? unitPrice : most > 0n ? most : 0n
}

async function intentOf(request: SwapRequest, feePayer: string): Promise<Intent> {
  const [inputMint, outputMint] = [MINTS[request.from], MINTS[request.to]]
  return {
    taker: address(request.depositAddress),
    receiver: address(request.destinationAddress),
    feePayer: address(feePayer),
    source: await tokenAccountOf(request.depositAddress, inputMint),
    destination: await tokenAccountOf(request.destinationAddress, outputMint),
    passage: await tokenAccountOf(request.depositAddress, outputMint),
    inputMint,
    outputMint,
    amount: request.amount,
    minimumAmount: request.minimumAmount,
  }
}

/**
 * A fresh quote. One whose guaranteed output is below the minimum, although the quote itself is not, is asked for once more
 * with less slippage: the price may use up what the merchant allowed, and no more.
 */
async function quote(
  jupiter: JupiterClient,
  { slippageBasisPoints, minimumAmount }: SwapRequest,
  intent: Intent,
  maxAccounts: number,
): Promise<Build | 'price_moved' | 'no_route'> {
  const ask = (slippageBps: number) =>
    jupiter.build({
      inputMint: intent.inputMint,
      outputMint: intent.outputMint,
      amount: intent.amount.toString(),
      taker: intent.taker,
      payer: intent.feePayer,
      destinationTokenAccount: intent.destination,
      slippageBps: slippageBps.toString(),
      wrapAndUnwrapSol: 'false',
      maxAccounts: maxAccounts.toString(),
    })
  let build = await ask(slippageBasisPoints)
  if (build !== 'no_route' && build.otherAmountThreshold < minimumAmount && build.outAmount >= minimumAmount)
    build = await ask(Number(((build.outAmount - minimumAmount) * WHOLE) / build.outAmount))
  if (build === 'no_route') return build
  const { inputMint, outputMint, inAmount, swapMode } = build
  if (
    inputMint !== intent.inputMint ||
    outputMint !== intent.outputMint ||
    inAmount !== intent.amount ||
    swapMode !== 'ExactIn'
  )
    throw new ProviderError('unreadable', 'A quote of something else')
  return build.otherAmountThreshold < minimumAmount ? 'price_moved' : build
}

/**
 * Simulates a swap before it is signed: our token account must lose exactly the amount, and the destination must gain the
 * floor. The fee payer is an account of the creations of token accounts only, so it cannot lose more than fees and rents.
 */
async function tryOut(
  of: Preparation,
  draft: Draft,
  intent: Intent,
  floor: bigint,
): Promise<(Simulated & { readonly createsAccount: boolean }) | 'price_moved' | 'no_route'> {
  const { source, destination, taker } = intent
  const accounts = [source, destination]
  const before = await readGroup(of.rpc, accounts, 'confirmed')
  const held = tokensIn(before.get(source), intent.inputMint, taker) ?? 0n
  if (held < intent.amount) throw new ProviderError('unavailable', 'The node does not show the deposit')
  const effect = await simulate(of.rpc, getBase64EncodedWireTransaction(assemble(draft)), accounts)
  if (effect.failed) {
    if (effect.failure?.code === SLIPPAGE_EXCEEDED) return 'price_moved'
    // Two instructions set the compute budget. Those before the swap are ours: if one fails, the route is not to blame.
    const swapAt = 2 + draft.instructions.length - 1
    if (effect.failure?.instruction === swapAt) return 'no_route'
    throw new ProviderError('unavailable', 'The simulation failed before the swap')
  }
  const tokens = (account: string, mint: Address, of: string) => ({
    before: tokensIn(before.get(account), mint, of) ?? 0n,
    after: tokensIn(effect.after(account), mint, of) ?? 0n,
  })
  const given = tokens(source, intent.inputMint, taker)
  const got = tokens(destination, intent.outputMint, intent.receiver)
  if (given.before - given.after !== intent.amount || got.after - got.before < floor)
    throw new ProviderError('unreadable', 'The simulation did something else than the swap')
  return { ...effect, createsAccount: before.get(destination) === undefined }
}
