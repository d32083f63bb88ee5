import { ProviderError } from '@payments/provider-http'
import type { PreparedTransaction, TransactionOutcome } from '@payments/swaps'
import { z } from 'zod'
import { readGroup, tokensIn } from '../chain/accounts.ts'
import { readChanges } from '../chain/changes.ts'
import type { Effects, History } from '../chain/history.ts'
import type { Rpc } from '../chain/rpc.ts'
import { Payload } from './prepare.ts'

/** Reads of a history since a transaction was signed: it begins there, and not at the first transaction of the account. */
const MOST_READS = 20

const Epoch = z.object({ absoluteSlot: z.number().int(), blockHeight: z.number().int() })
const Statuses = z.object({
  context: z.object({ slot: z.number().int() }),
  value: z.tuple([z.object({ confirmationStatus: z.string().nullish(), err: z.unknown() }).nullable()]),
})

/** Sends a signed transaction through our node. The node repeats it until its blockhash has expired. */
export async function send(rpc: Rpc, { signature, payload }: PreparedTransaction): Promise<void> {
  const { wire } = payloadOf(payload)
  // Without a trial run: a transaction that fails is then visible as such, instead of staying unknown until it expires.
  const sent = await rpc.write({
    method: 'sendTransaction',
    params: [wire, { encoding: 'base64', skipPreflight: true }],
    shape: z.string(),
  })
  if (sent !== signature) throw new ProviderError('unreadable', 'The node names another signature')
}

/** What became of a stored transaction: asked for by its signature, and judged by what it changed. */
export async function outcomeOf(
  rpc: Rpc,
  history: History,
  { signature, payload }: PreparedTransaction,
): Promise<TransactionOutcome> {
  const money = payloadOf(payload)
  // The height first: what is not known afterwards, on a node that has seen that height, did not make it into a block.
  const epoch = await rpc.read({ method: 'getEpochInfo', params: [{ commitment: 'finalized' }], shape: Epoch })
  const {
    context,
    value: [status],
  } = await rpc.read({
    method: 'getSignatureStatuses',
    params: [[signature], { searchTransactionHistory: true }],
    shape: Statuses,
  })
  if (status)
    return status.confirmationStatus === 'finalized' ? settled(history, signature, money) : { status: 'pending' }
  const expired = epoch.blockHeight > money.lastValidBlockHeight && context.slot >= epoch.absoluteSlot
  if (!expired) return { status: 'unknown' }
  return (await isInHistory(rpc, history, signature, money, epoch.absoluteSlot))
    ? { status: 'pending' }
    : { status: 'dropped' }
}

async function settled(
  history: History,
  signature: string,
  { source, destination, amount, payer }: z.output<typeof Payload>,
): Promise<TransactionOutcome> {
  const [effects] = await history.effects([signature])
  if (!effects) return { status: 'pending' }
  const cost = payer === undefined ? {} : { costLamports: -effects.lamports(payer) }
  if (effects.failed) return { status: 'failed', ...cost }
  const receivedAmount = destination === undefined ? 0n : effects.tokens(destination)
  if (effects.tokens(source) !== -amount || (destination !== undefined && receivedAmount <= 0n)) {
    history.forget([signature])
    throw new ProviderError('unreadable', 'A transaction of ours changed something else')
  }
  // Jupiter takes no fee of a swap that is built this way, and the network's fee is paid in SOL by the fee payer.
  return { status: 'finalized', receivedAmount, fees: 0n, ...cost }
}

/**
 * True when the history of the source contains the transaction, although its status is unknown. The history is complete, since
 * it sums up to what the source holds: a node that keeps no old transactions cannot make us send the money twice. One that failed
 * changed nothing, and counts as dropped.
 */
async function isInHistory(
  rpc: Rpc,
  history: History,
  signature: string,
  { source, owner, mint, readTo }: z.output<typeof Payload>,
  leastSlot: number,
): Promise<boolean> {
  const snapshot = await readGroup(rpc, [source], 'finalized')
  if (snapshot.slot < leastSlot) throw new ProviderError('unavailable', 'The node is behind')
  const held = tokensIn(snapshot.get(source), mint, owner)
  if (held === undefined) throw new ProviderError('unreadable', 'The source of a transaction does not exist')
  const account = { account: source, slot: snapshot.slot, held, amountOf: (effects: Effects) => effects.tokens(source) }
  let from: string | null = readTo ?? null
  for (let reads = 0; reads < MOST_READS; reads++) {
    const read = await readChanges(history, account, from)
    if (read.complete) return read.changes.some(({ txHash }) => txHash === signature)
    from = read.readTo
  }
  throw new ProviderError('unavailable', 'The history of an account is too long to be read at once')
}

const payloadOf = (payload: string): z.output<typeof Payload> => Payload.parse(JSON.parse(payload))
