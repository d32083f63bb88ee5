import { environments, noInput, system } from '@payments/kernel'
import {
  aboutObject,
  deleteWhere,
  firstAnswer,
  job,
  purgeJob,
  type QueryContext,
  queryContext,
  unitOfWork,
} from '@payments/platform'
import { z } from 'zod'
import { type Identity, identityContext, recordResult } from '../customers/enablement.ts'
import { checkIdentity } from '../customers/holder-names.ts'
import { EnablementEntity, IdentityEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import { compareTreasuries } from '../money/treasury.ts'
import { RECORD_DAYS } from '../movements/records.ts'
import { customerAccounts } from '../provider/holder.ts'
import { identityProvider } from '../provider/provider.ts'
import { budgetOf } from '../provider/rate-budget.ts'

const ENDS = {
  match: null,
  mismatch: 'customer_name_bvn_mismatch',
  not_found: 'bvn_not_found',
} as const

const Enablement = z.strictObject({ id: z.uuid(), organisationId: z.uuid(), environment: z.enum(environments) })

/**
 * Verifies the identity of a customer. The job carries an id only. Whatever is repeated after a crash, the result is recorded once; a
 * register that does not answer is asked again, for a day.
 */
export const verifyIdentity = job({
  name: 'cngn.verify-identity',
  data: Enablement,
  queue: { retryLimit: 12, retryDelay: 5 },
  async run(runtime, { id, organisationId, environment }) {
    const context = queryContext(runtime, system(organisationId, environment))
    const identity = await identityOf(context, id)
    if (!identity) return
    const candidates = await runtime.providers.candidates(identityProvider, environment)
    const { provider, answer } = await firstAnswer(candidates, (each) =>
      aboutObject({ id, organisationId, environment }, () => checkIdentity(each, identity)),
    )
    if (answer === 'unavailable') throw errors.identity_unavailable()
    // It ended while the register answered: the customer was anonymised.
    if (!(await identityOf(context, id))) return
    const accounts = customerAccounts(runtime, environment)
    const account =
      answer === 'match' && accounts
        ? await accounts.virtualAccount(
            {
              customerId: identity.customerId,
              name: `${identity.firstName} ${identity.lastName}`,
              email: identity.email,
            },
            budgetOf(context, environment),
          )
        : null
    await unitOfWork(context, (unit) =>
      recordResult(unit, id, { failureReason: ENDS[answer], provider: provider.name, account }),
    )
  },
})

async function identityOf(context: QueryContext, id: string): Promise<(Identity & { customerId: string }) | undefined> {
  const row = await context.em.findOne(IdentityEntity, { id }, { disableIdentityMap: true })
  if (!row) return undefined
  const { customerId } = await context.em.findOneOrFail(EnablementEntity, { id }, { disableIdentityMap: true })
  return {
    ...(JSON.parse(context.runtime.keyring.decrypt(row.encrypted, identityContext(id))) as Identity),
    customerId,
  }
}

/** Ends verifications that no register answered, so that no identity is kept for longer than a day. */
export const expireIdentities = job({
  name: 'cngn.expire-identities',
  data: noInput,
  schedule: { everyMinutes: 10 },
  queue: { policy: 'short', expireInSeconds: 600 },
  async run(runtime) {
    const { rows } = await runtime.pool.query<{ id: string; organisation_id: string; environment: 'test' | 'live' }>(
      "select id, organisation_id, environment from cngn_identities where created_at < now() - interval '23 hours' limit 1000",
    )
    for (const { id, organisation_id, environment } of rows)
      await unitOfWork(queryContext(runtime, system(organisation_id, environment)), (unit) =>
        recordResult(unit, id, { failureReason: 'verification_unavailable', provider: null, account: null }),
      )
  },
})

/** Deletes elements of the provider's lists that operators have not needed for three months. */
export const cngnPurge = purgeJob('cngn.purge', [
  deleteWhere('cngn_records', `last_at < now() - interval '${RECORD_DAYS} days'`),
])

/** Compares the treasury with the journal, every minute. */
export const compareTreasury = job({
  name: 'cngn.compare-treasury',
  data: noInput,
  schedule: { everyMinutes: 1 },
  queue: { policy: 'short', expireInSeconds: 60 },
  run: (runtime) => compareTreasuries(runtime),
})
