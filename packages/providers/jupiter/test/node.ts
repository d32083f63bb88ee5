import type { EncodedAccount } from '@solana/kit'
import { getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { Chain, Executed } from './chain.ts'
import { MAINNET_GENESIS } from './facts.ts'
import { type Fault, type Listening, listen, type Tls } from './listen.ts'

const CLOCK = 'SysvarC1ock11111111111111111111111111111111'

type Params = readonly never[]
interface Call {
  readonly id: number
  readonly method: string
  readonly params: Params
}

/** A node of a chain: answers JSON-RPC in batches, on loopback. */
export interface Node extends Listening {
  /** Decides for each request, by the method of its calls, whether and how it fails. */
  spoil: (method: string) => Fault | undefined
  /** How many finalized slots the node is behind. */
  behind: () => number
  /** Changes an answer before it is sent: a node that is wrong. */
  distort: (method: string, result: unknown) => unknown
  /** Methods that were called, in order. */
  readonly calls: string[]
}

export async function startNode(chain: Chain, tls?: Tls): Promise<Node> {
  const answers: Record<string, (params: Params, finalized: number) => unknown> = methods(chain)
  const calls: string[] = []
  const one = ({ id, method, params }: Call) => {
    calls.push(method)
    const behind = node.behind()
    try {
      const answer = answers[method]
      if (!answer) throw new Error(`No method ${method}`)
      return { jsonrpc: '2.0', id, result: node.distort(method, answer(params, chain.finalized - behind)) }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32_000, message: (error as Error).message } }
    }
  }
  const server = await listen(
    tls,
    (_request, body) => node.spoil((JSON.parse(body) as Call[])[0]?.method ?? ''),
    (_request, body) => ({ status: 200, body: (JSON.parse(body) as Call[]).map(one) }),
  )
  const node: Node = {
    ...server,
    calls,
    spoil: () => undefined,
    behind: () => 0,
    distort: (_method, result) => result,
  }
  return node
}

function methods(chain: Chain): Record<string, (params: Params, finalized: number) => unknown> {
  const slotOf = (commitment: string | undefined, finalized: number) =>
    commitment === 'finalized' ? finalized : chain.slot
  const requireSlot = (least: number | undefined, slot: number) => {
    if (least !== undefined && slot < least) throw new Error('Minimum context slot has not been reached')
  }
  const ofAccount = (account: string, finalized: number) =>
    [...chain.executed.values()].filter(({ slot, keys }) => slot <= finalized && keys.includes(account)).reverse()

  const answers = {
    getGenesisHash: () => MAINNET_GENESIS,

    getMultipleAccounts([accounts, { commitment }]: readonly [string[], { commitment?: string }], finalized: number) {
      const slot = slotOf(commitment, finalized)
      const value = accounts.map((each) => (each === CLOCK ? clock(chain, slot) : encoded(chain.at(each, slot))))
      return { context: { slot }, value }
    },

    getSignaturesForAddress(
      [account, options]: readonly [
        string,
        { limit: number; before?: string; until?: string; minContextSlot?: number },
      ],
      finalized: number,
    ) {
      requireSlot(options.minContextSlot, finalized)
      const all = ofAccount(account, finalized)
      const index = (signature: string | undefined) => all.findIndex((each) => each.signature === signature)
      const from = options.before === undefined ? 0 : index(options.before) + 1
      const to = options.until === undefined || index(options.until) < 0 ? all.length : index(options.until)
      return all.slice(from, Math.min(to, from + options.limit)).map(({ signature, slot, err }) => ({
        signature,
        slot,
        err,
        blockTime: chain.timeOf(slot),
        confirmationStatus: 'finalized',
      }))
    },

    getTransaction([signature]: readonly [string], finalized: number) {
      const found = chain.executed.get(signature)
      return found && found.slot <= finalized ? transactionOf(chain, found) : null
    },

    // Of a node that keeps the whole history.
    getFirstAvailableBlock: () => 0,
    getBlockTime: ([slot]: readonly [number]) => chain.timeOf(slot),

    getLatestBlockhash: () => ({ context: { slot: chain.slot }, value: chain.newBlockhash() }),

    getEpochInfo: (_params: Params, finalized: number) => ({
      absoluteSlot: finalized,
      blockHeight: chain.heightOf(finalized),
      epoch: 1,
    }),

    getSignatureStatuses([signatures]: readonly [string[]], finalized: number) {
      const value = signatures.map((signature) => {
        const found = chain.executed.get(signature)
        if (!found || found.slot > finalized + (chain.slot - chain.finalized)) return null
        const status = found.slot <= finalized ? 'finalized' : 'confirmed'
        return { slot: found.slot, err: found.err, confirmationStatus: status }
      })
      return { context: { slot: finalized + (chain.slot - chain.finalized) }, value }
    },

    simulateTransaction([wire, { accounts }]: readonly [string, { accounts: { addresses: string[] } }]) {
      const result = chain.simulate(wire, accounts.addresses)
      return {
        context: { slot: chain.slot },
        value: { ...result, logs: [], accounts: result.accounts?.map(encoded) ?? null },
      }
    },

    sendTransaction: ([wire]: readonly [string]) => chain.submit(wire),

    getTokenAccountsByOwner([owner]: readonly [string], finalized: number) {
      const keys = new Set([...chain.executed.values()].flatMap((each) => each.keys))
      const value = [...keys].flatMap((pubkey) => {
        const account = chain.at(pubkey, finalized)
        const isTokens = account?.programAddress === TOKEN_PROGRAM_ADDRESS && account.data.length === 165
        return account && isTokens && getTokenDecoder().decode(account.data).owner === owner
          ? [{ pubkey, account: encoded(account) }]
          : []
      })
      return { context: { slot: finalized }, value }
    },
  }
  // Each reads the parameters of its own method.
  return answers as unknown as Record<string, (params: Params, finalized: number) => unknown>
}

const encoded = (account: EncodedAccount | null) =>
  account && {
    data: [Buffer.from(account.data).toString('base64'), 'base64'],
    lamports: Number(account.lamports),
    owner: account.programAddress,
    executable: account.executable,
    rentEpoch: 0,
    space: account.data.length,
  }

function clock(chain: Chain, slot: number) {
  const data = Buffer.alloc(40)
  data.writeBigUInt64LE(BigInt(slot), 0)
  data.writeBigInt64LE(BigInt(chain.timeOf(slot)), 32)
  return {
    data: [data.toString('base64'), 'base64'],
    lamports: 1,
    owner: 'Sysvar1111111111111111111111111111111111111',
  }
}

function transactionOf(chain: Chain, { slot, err, keys, statics, lamports, tokens }: Executed) {
  const balances = (side: 0 | 1) =>
    tokens.flatMap((pair, accountIndex) => {
      const state = pair[side]
      return state
        ? [
            {
              accountIndex,
              mint: state.mint,
              owner: state.owner,
              uiTokenAmount: { amount: state.amount.toString(), decimals: 6 },
            },
          ]
        : []
    })
  return {
    slot,
    blockTime: chain.timeOf(slot),
    transaction: { message: { accountKeys: keys.slice(0, statics) } },
    meta: {
      err,
      preBalances: lamports.map(([before]) => Number(before)),
      postBalances: lamports.map(([, after]) => Number(after)),
      preTokenBalances: balances(0),
      postTokenBalances: balances(1),
      loadedAddresses: { writable: keys.slice(statics), readonly: [] },
    },
  }
}
