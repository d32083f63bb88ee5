import { customerErrors, lockCustomer, setCustomerPart } from '@payments/customers'
import { newId } from '@payments/kernel'
import { createResource, type EncryptedColumn, move, sqlOf, type UnitOfWork } from '@payments/platform'
import { emit } from '@payments/webhooks'
import type { z } from 'zod'
import { EnablementEntity, type EnablementRow, IdentityEntity, VirtualAccountEntity } from '../entity.ts'
import { errors } from '../errors.ts'
import type { EnablementFailure } from '../failure-reasons.ts'
import { PART } from '../kinds/customer.ts'
import { identityProvider, type PaymentAccount } from '../provider/provider.ts'
import { enablementResource } from '../resources/resources.ts'
import type { EnableCustomer, Enablement } from '../schemas.ts'
import { type Names, namesOf } from './holder-names.ts'

const ATTEMPTS_A_DAY = 3

/** What is verified. It is stored encrypted only, and deleted with the result. */
export interface Identity extends Names {
  readonly bvn: string
  readonly email: string
  readonly phoneNumber: string | null
}

/** The associated data of an encrypted identity. */
export const identityContext = (id: string): string => `cngn.identity/${id}`

export const encryptedIdentities: readonly EncryptedColumn[] = [
  {
    name: 'cNGN identities',
    select: 'select id::text, encrypted as value from cngn_identities where not starts_with(encrypted, $1) limit $2',
    update: 'update cngn_identities set encrypted = $3 where id = $1::uuid and encrypted = $2',
    context: identityContext,
  },
]

/**
 * Starts the verification of a customer's identity: the customer becomes `pending`. The BVN is kept encrypted until the result is
 * recorded; what stays is a keyed hash and its last two digits. The request is the consent, and is recorded with its time and caller.
 * @throws customer_not_found 404, customer_anonymised 409, cngn_already_enabled 409, cngn_attempts_exceeded 409, validation_failed 422,
 * capability_unavailable 503
 */
export async function startEnablement(
  unit: UnitOfWork,
  input: z.output<typeof EnableCustomer>,
): Promise<{ row: EnablementRow; reply: z.input<typeof Enablement> }> {
  const { runtime, actor } = unit
  const customer = await lockCustomer(unit, input.customerId)
  await runtime.providers.for(identityProvider, actor.environment)
  if (customer.anonymisedAt) throw customerErrors.customer_anonymised()
  await checkAttempts(unit, customer.id)
  const names = namesOf(customer.name, input)
  const identity: Identity = {
    ...names,
    bvn: input.bvn,
    email: input.email ?? customer.email,
    phoneNumber: input.phoneNumber ?? customer.phoneNumber ?? null,
  }
  const id = newId()
  const now = new Date()
  const tenant = { organisationId: actor.organisationId, environment: actor.environment }
  const row = createResource(unit, enablementResource, {
    id,
    ...tenant,
    customerId: customer.id,
    failureReason: null,
    bvnHash: runtime.keyring.fingerprint(input.bvn, 'cngn.bvn'),
    bvnLastDigits: input.bvn.slice(-2),
    consentedAt: now,
    consentFrom: actor.userId ? `user:${actor.userId}` : actor.keyId ? `key:${actor.keyId}` : actor.kind,
    provider: null,
  })
  unit.insert(IdentityEntity, {
    id,
    ...tenant,
    encrypted: runtime.keyring.encrypt(JSON.stringify(identity), identityContext(id)),
    createdAt: now,
  })
  await setCustomerPart(unit, customer.id, PART, { status: 'pending', failureReason: null })
  return {
    row,
    reply: { customerId: customer.id, status: 'pending', failureReason: null, bvnLastDigits: row.bvnLastDigits },
  }
}

/** One verification at a time, none after a successful one, and three a day. The customer is locked. */
async function checkAttempts(unit: UnitOfWork, customerId: string): Promise<void> {
  const { rows } = await sqlOf(unit.em).query<{ current: boolean; attempts: number }>(
    `select coalesce(bool_or(status in ('pending', 'enabled')), false) as current,
            count(*) filter (where created_at > now() - interval '1 day')::int as attempts
       from cngn_enablements where organisation_id = $1 and environment = $2 and customer_id = $3`,
    [unit.actor.organisationId, unit.actor.environment, customerId],
  )
  if (rows[0]?.current) throw errors.cngn_already_enabled()
  if ((rows[0]?.attempts ?? 0) >= ATTEMPTS_A_DAY) throw errors.cngn_attempts_exceeded()
}

/** The result of a verification, and the account of a customer who is enabled. */
export interface Result {
  readonly failureReason: EnablementFailure | null
  readonly provider: string | null
  readonly account: PaymentAccount | null
}

/** Records the result, deletes the identity and announces the customer, all in one transaction and once. */
export async function recordResult(
  unit: UnitOfWork,
  id: string,
  { failureReason, provider, account }: Result,
): Promise<void> {
  // In the order in which every command locks them: the customer, then what belongs to them.
  const { customerId: of } = await unit.em.findOneOrFail(EnablementEntity, { id }, { disableIdentityMap: true })
  await lockCustomer(unit, of)
  const { row, outcome } = await move(
    unit,
    enablementResource,
    id,
    failureReason ? 'fail' : 'enable',
    errors.cngn_transfer_not_found,
    { failureReason, provider },
  )
  await unit.em.nativeDelete(IdentityEntity, { id })
  if (outcome === 'ignored') return
  const { organisationId, environment, customerId } = row
  if (account)
    unit.insert(VirtualAccountEntity, { organisationId, environment, customerId, ...account, createdAt: row.updatedAt })
  const status = failureReason ? 'failed' : 'enabled'
  const data = await setCustomerPart(unit, customerId, PART, { status, failureReason })
  emit(unit, {
    organisationId,
    environment,
    type: `cngn.customer.${status}`,
    resourceId: customerId,
    data,
    at: row.updatedAt,
  })
}
