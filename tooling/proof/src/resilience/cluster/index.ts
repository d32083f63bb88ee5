import { everyDomain } from '@payments/api'
import { artefact } from '@payments/bundle'
import { checkLedger } from '@payments/ledger'
import { hasTools, rows, type StandDatabase, startDatabase } from '@payments/stand'
import type { Proof, ProofOptions, ProofReport } from '../../proof.ts'
import { changeableTables, migrateBesideDump } from './beside-dump.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type EarlierVersion, earlierVersion } from './earlier.ts'
import { checkExactness } from './exactness.ts'
import { startPgBouncer } from './pgbouncer.ts'
import { killOneOfEach, type Phase, replaceInTurn, underLoad } from './phases.ts'

/** A lease lasts 45 s: these were taken more than 5 s ago, before the kill. */
const END_LEASES =
  "update idempotency_keys set expires_at = now() where reply is null and expires_at < now() + interval '40 seconds'"
const SIZES = {
  short: { kills: 1, restarts: 0, keys: 20 },
  full: { kills: 10, restarts: 5, keys: 400 },
} as const

/**
 * Two gateways behind a proxy and two workers on one database, under load, from the last schema to this one: a migration beside a dump, an
 * older process that restarts, a rolling upgrade, one of each killed, limits and idempotency over both gateways, rolling restarts, and all of it behind PgBouncer.
 */
export const run: Proof = async (options) => {
  const earlier = earlierVersion()
  // An earlier version migrates its own database.
  const database = await startDatabase({ migrated: earlier === undefined })
  try {
    const cluster = await startCluster(database, earlier?.folder)
    try {
      return await runPhases(database, cluster, earlier, options)
    } finally {
      await cluster.stop()
    }
  } finally {
    await database.close()
    earlier?.remove()
  }
}

async function runPhases(
  database: StandDatabase,
  cluster: Cluster,
  earlier: EarlierVersion | undefined,
  { size, times, log }: ProofOptions,
): Promise<ProofReport> {
  const { restarts, keys, ...usual } = SIZES[size]
  const kills = times ?? usual.kills
  const findings: string[] = []
  const figures: Record<string, unknown> = {}
  const since = performance.now()
  const note = (name: string, phase: Phase) => {
    findings.push(...phase.findings)
    figures[name] = phase.figures
    log(`${Math.round((performance.now() - since) / 1000)} s: ${name} ${JSON.stringify(phase.figures)}`)
  }
  if (earlier) {
    note(
      'migrated beside a dump',
      await underLoad(database, cluster, (load) => migrateBesideDump(database, cluster, load, artefact())),
    )
    const upgrade = { name: 'rolling upgrade', rounds: 1, folder: artefact(), announced: true }
    const { findings: found, figures: own } = await underLoad(database, cluster, (load) =>
      replaceInTurn(cluster, load, upgrade),
    )
    const from = { from: earlier.commit.slice(0, 12), migrations: earlier.missing.length }
    findings.push(...(await changeableTables(database)))
    note('upgraded', { findings: found, figures: { ...own, ...from } })
  } else log('Not run, because the history of the repository is not here: the rolling upgrade')
  // The short form does not wait for the end of the leases that the killed gateway held.
  const leases = async () => (size === 'short' ? rows(database, END_LEASES) : [])
  note('killed', await underLoad(database, cluster, (load) => killOneOfEach(cluster, load, kills, leases)))
  note('exact', await checkExactness(database, cluster, keys))
  const pooler = hasTools('pgbouncer') ? await startPgBouncer(database.serviceUrl) : undefined
  try {
    const restart = async (name: string, rounds: number, settings = cluster.settings) =>
      note(
        name,
        await underLoad(database, cluster, (load) =>
          replaceInTurn(cluster, load, { name, rounds, settings, announced: false }),
        ),
      )
    if (restarts > 0 || !pooler) await restart('restarted', Math.max(1, restarts))
    if (pooler) {
      await restart('restarted behind PgBouncer', 1, {
        ...cluster.settings,
        DATABASE_URL: pooler.through(database.serviceUrl),
        DATABASE_DIRECT_URL: database.serviceUrl,
      })
      note('exact behind PgBouncer', await checkExactness(database, cluster, keys))
    }
    const service = { pool: database.pool, domains: everyDomain }
    const ledger = await checkLedger(service)
    findings.push(...ledger.findings.map(({ check, id, message }) => `ledger, ${check} ${id}: ${message}`))
    findings.push(...cluster.errors())
    if (findings.length > 0) log(cluster.output().slice(-6000))
    return { findings, figures }
  } finally {
    // The processes lose their connections now, and are stopped.
    await cluster.stop()
    await pooler?.stop()
  }
}
