import { domainsOf, type Runtime } from '@payments/platform'
import type { Random } from '@payments/stand'
import {
  type Merchant,
  newMerchant,
  OVER_TLS,
  productionSettings,
  type RunningService,
  runService,
  type ServiceProcess,
  type ServiceProcesses,
  type StandDatabase,
  startDatabase,
  startProcesses,
  trustedBy,
  trustedLoopback,
} from '@payments/stand'
import { signersFrom } from '@payments/swaps'
import { closeFakes, type Fakes, settingsOf, startFakes } from './all-fakes.ts'

/** The service in production, its providers replaced by the fakes: a gateway in this process, and a worker that may be killed. */
export interface ProviderStand extends Fakes {
  readonly database: StandDatabase
  readonly runtime: Runtime
  readonly worker: ServiceProcess
  readonly merchants: readonly Merchant[]
  /** Starts the worker again, without the settings of NEAR Intents or with all of them. */
  restartWorker(withNear: boolean): Promise<void>
  readonly processes: ServiceProcesses
  close(): Promise<void>
}

const MERCHANTS = 4
/** The fee payer's SOL, for any number of swaps. */
const LAMPORTS = 10n ** 11n

export async function startProviderStand(random: Random): Promise<ProviderStand> {
  const { tls, authority } = await trustedLoopback()
  const database = await startDatabase()
  const seed = Uint8Array.from({ length: 32 }, () => random.below(256))
  const fakes = await startFakes(tls, random)
  await fakes.chain.payLamports(signersFrom(seed, 'live').feePayer.address, LAMPORTS)
  const trusted = trustedBy(database.dataDir, authority)
  const settings = productionSettings(database, {
    // Fakes, gateway and comparison share this process: while one of them works, a connection is not late.
    DATABASE_ACQUIRE_SECONDS: '30',
    ...settingsOf(fakes),
    RELAY_REQUESTS_PER_MINUTE: '60000',
    RELAY_QUOTES_PER_MINUTE: '60000',
    NEAR_INTENTS_REQUESTS_PER_MINUTE: '60000',
    NEAR_INTENTS_QUOTES_PER_MINUTE: '60000',
    PAYCREST_REQUESTS_PER_MINUTE: '60000',
    PAYCREST_NEW_REQUESTS_PER_MINUTE: '600',
    CNGN_REQUESTS_PER_MINUTE: '6000',
    SWAP_SEED: Buffer.from(seed).toString('base64'),
    // Each swap pays out to a wallet of its own.
    SWAP_REFUND_SOL_PER_DAY: '1000',
  })
  const own = await runService(database, { settings, live: 'configured', logLevel: 'fatal' })
  const processes = await startProcesses({ gateways: 0, workers: 1 }, { settings: { ...settings, ...trusted } })
  const [worker] = processes.workers as [ServiceProcess]
  await worker.ready()
  // Swaps are available once the fee payer's balance is known.
  const jobs = domainsOf(own.runtime).flatMap((domain) => domain.work?.jobs ?? [])
  await jobs.find(({ name }) => name === 'swaps.fee-payer')?.run(own.runtime, {}, new AbortController().signal)
  const merchants = await Promise.all(Array.from({ length: MERCHANTS }, () => behindProxy(own)))
  return {
    ...{ ...fakes, database, worker, merchants },
    processes,
    runtime: own.runtime,
    async restartWorker(withNear) {
      const { NEAR_INTENTS_TOKEN: token = '', ...others } = settings
      const own = { ...others, ...(withNear ? { NEAR_INTENTS_TOKEN: token } : {}), ...trusted }
      await worker.stop()
      worker.start({ settings: own })
    },
    async close() {
      await worker.stop()
      await own.stop()
      await closeFakes(fakes)
      await database.close()
    },
  }
}

/** A merchant whose requests come through a proxy that ends TLS, as production requires. */
async function behindProxy(own: Pick<RunningService, 'runtime' | 'url'>): Promise<Merchant> {
  const merchant = await newMerchant(own, { environment: 'live' })
  return {
    ...merchant,
    call: (line, given) => merchant.call(line, { ...given, headers: OVER_TLS }),
  }
}
