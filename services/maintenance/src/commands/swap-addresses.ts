import { parseArgs } from 'node:util'
import { jupiterAdapter, recovery } from '@payments/jupiter'
import { type Environment, environments, parseAddress } from '@payments/kernel'
import { checkFingerprints, type Settings } from '@payments/platform'
import { listAddresses, swapsSettings } from '@payments/swaps'
import type { Pool } from 'pg'
import { domains, runCommand } from '../command.ts'
import { shown, sweep } from '../sweep.ts'

const MOST = 10_000

const { values } = parseArgs({
  options: {
    environment: { type: 'string', default: 'live' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '100' },
    held: { type: 'boolean', default: false },
    sweep: { type: 'string' },
  },
})
const environment = environments.find((each) => each === values.environment)
const [from, count] = [Number(values.from), Number(values.count)]
const isIndex = (value: number) => Number.isInteger(value) && value >= 0 && value < 2 ** 31
if (!environment) refuse('--environment must be test or live')
if (!isIndex(from)) refuse('--from must be a whole number from 0 to 2147483647')
if (!isIndex(count) || count < 1 || count > MOST) refuse(`--count must be a whole number from 1 to ${MOST}`)

const wallet = values.sweep
if (wallet !== undefined && environment !== 'live') refuse('--sweep is for the live environment')
const parsed = wallet === undefined ? undefined : parseAddress('svm', wallet, { allowOffCurve: true })
if (parsed && 'error' in parsed) refuse(`--sweep: ${parsed.error}`)

await runCommand('swap-addresses', ({ settings, pool }) => list(settings, pool), [jupiterAdapter])

async function list(settings: Settings, pool: Pool): Promise<boolean> {
  const { SWAP_SEED } = swapsSettings.from(settings)
  if (!SWAP_SEED) throw new Error('SWAP_SEED: required')
  const chain = environment === 'live' ? await recovery(settings) : undefined
  if (wallet !== undefined && !chain) throw new Error('SOLANA_RPC_URL: required for --sweep')
  await checkFingerprints(pool, domains, settings)
  const listed = await listAddresses(pool, SWAP_SEED, environment as Environment, { from, count })
  const held = await chain?.held(listed.map(({ address }) => address))
  const found = listed.map((each, index) => ({ ...each, held: held?.[index] ?? [] }))
  if (chain) process.stdout.write(`Fee payer\t${chain.feePayer}\n`)
  for (const { path, address, swapId, status, held: there } of found)
    if (!values.held || there.length > 0)
      process.stdout.write(
        `${path}\t${address}\t${swapId ? `${swapId} ${status}` : 'no swap'}\t${there.map(shown).join(', ')}\n`,
      )
  if (!chain || wallet === undefined) return true
  const problem = await chain.checkWallet(wallet)
  if (problem) throw new Error(`--sweep: ${problem}`)
  return sweep(pool, chain, found, wallet)
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
