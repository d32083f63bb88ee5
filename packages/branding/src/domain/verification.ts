import { noInput, system } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { job, type QueryContext, type Runtime, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import { domainOf, lockedRow, present, recordName, rowOf } from '../profile/service.ts'
import type { Branding } from '../schemas.ts'
import { brandingSettings } from '../settings.ts'
import { textRecords } from './dns.ts'

/** When a verified domain is looked at again. */
const WEEK = "now() + interval '7 days'"
/** When it is, where the record was missing or nobody could be asked. */
const DAY = "now() + interval '1 day'"
const BATCH = 20

/** Type of the notification about a record that is gone. */
export const RECORD_MISSING = 'branding.record_missing'

/**
 * Asks whether the domain of the site carries the record, before the transaction.
 * @returns the domain
 * @throws website_missing 409, domain_unverified 409, domain_unreachable 503
 */
export async function askDomain(context: QueryContext): Promise<string> {
  const row = await rowOf(context, context.actor)
  const domain = row && domainOf(row.fields)
  if (!domain) throw errors.website_missing()
  const { DNS_SERVERS } = brandingSettings.from(context.runtime.settings)
  const records = await textRecords(recordName(domain), DNS_SERVERS).catch((cause: unknown) => {
    throw errors.domain_unreachable({ retryAfter: 60, cause })
  })
  if (!records.includes(row.verification)) throw errors.domain_unverified()
  return domain
}

/** Keeps that the domain carries the record. */
export async function keepDomain(unit: UnitOfWork, domain: string): Promise<z.infer<typeof Branding>> {
  const row = await lockedRow(unit)
  if (domainOf(row.fields) !== domain) throw errors.domain_unverified()
  await sqlOf(unit.em).query(
    `update brandings set verified_domain = $3, verified_at = now(), recheck_at = ${WEEK}, missed_at = null
      where organisation_id = $1 and environment = $2`,
    [unit.actor.organisationId, unit.actor.environment, domain],
  )
  return present({ ...row, verified_domain: domain }, unit.runtime.settings)
}

/**
 * Every hour: looks again at verified domains, at each once a week, because a domain that was sold or given up is somebody else's. One that
 * does not carry its record loses the verification when a second look, a day later, finds the same; name servers that do not answer say nothing.
 */
export const recheckDomains = job({
  name: 'branding.domains',
  data: noInput,
  schedule: { everyMinutes: 60 },
  queue: { policy: 'short', expireInSeconds: 3000 },
  async run(runtime, _data, signal) {
    for (let due = await dueDomains(runtime); due.length > 0 && !signal.aborted; due = await dueDomains(runtime))
      await Promise.all(due.map((each) => recheck(runtime, each)))
  },
})

interface Due {
  readonly organisation_id: string
  readonly environment: 'test' | 'live'
  readonly verified_domain: string
  readonly verification: string
  readonly recheck_at: Date
}

async function dueDomains({ pool }: Runtime): Promise<Due[]> {
  const { rows } = await pool.query<Due>(
    `select organisation_id, environment, verified_domain, verification, recheck_at from brandings
      where verified_domain is not null and recheck_at <= now()
      order by recheck_at limit ${BATCH}`,
  )
  return rows
}

async function recheck(runtime: Runtime, due: Due): Promise<void> {
  const { organisation_id: organisationId, environment, verified_domain: domain } = due
  const { DNS_SERVERS } = brandingSettings.from(runtime.settings)
  const records = await textRecords(recordName(domain), DNS_SERVERS).catch((error: unknown) => {
    runtime.log.info({ organisationId, environment, domain, err: error }, 'domain not asked')
    return undefined
  })
  await unitOfWork({ runtime, actor: system(organisationId, environment), log: runtime.log }, (unit) =>
    keepLook(unit, due, records?.includes(due.verification)),
  )
}

/** Keeps what one look found, unless another look or change came first; undefined where nobody answered. */
async function keepLook(unit: UnitOfWork, due: Due, found: boolean | undefined): Promise<void> {
  const { organisation_id: organisationId, environment, verified_domain: domain } = due
  const { rows } = await sqlOf(unit.em).query<{ missed_at: Date | null }>(
    `select missed_at from brandings where organisation_id = $1 and environment = $2 and verified_domain = $3
        and recheck_at = $4 for update`,
    [organisationId, environment, domain, due.recheck_at],
  )
  const [row] = rows
  if (!row) return
  const isGone = found === false && row.missed_at !== null
  const changes =
    found === undefined
      ? `recheck_at = ${DAY}`
      : found
        ? `recheck_at = ${WEEK}, missed_at = null`
        : isGone
          ? 'verified_domain = null, verified_at = null, recheck_at = null, missed_at = null, updated_at = now()'
          : `recheck_at = ${DAY}, missed_at = now()`
  await sqlOf(unit.em).query(`update brandings set ${changes} where organisation_id = $1 and environment = $2`, [
    organisationId,
    environment,
  ])
  if (found !== false) return
  const record = `The TXT record ${recordName(domain)} is missing.`
  notify(unit, {
    organisationId,
    environment,
    type: RECORD_MISSING,
    title: isGone ? `${domain} is no longer verified` : `The DNS record of ${domain} is missing`,
    body: isGone
      ? `${record} Payers no longer see ${domain} with a mark. Add the record and verify the domain again.`
      : `${record} Add it again within a day; otherwise payers no longer see ${domain} with a mark.`,
    resource: { type: 'organisation', id: organisationId },
  })
}
