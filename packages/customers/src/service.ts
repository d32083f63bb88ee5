import { type InferEntity, LockMode } from '@mikro-orm/core'
import { invalid, isId, mergeMetadata, newId } from '@payments/kernel'
import {
  domainsOf,
  everyRow,
  type QueryContext,
  replaceStoredReplies,
  type UnitOfWork,
  updateRow,
} from '@payments/platform'
import type { z } from 'zod'
import { CustomerEntity, type CustomerRow, present } from './entity.ts'
import { errors } from './errors.ts'
import type { CustomerPatch, Customers, NewCustomer } from './schemas.ts'

/** Creates a customer. An email address, in any letter case, belongs to one customer of an organisation and environment. */
export async function create(
  unit: UnitOfWork,
  input: z.output<typeof NewCustomer>,
  { initial }: Pick<Customers, 'initial'>,
): Promise<CustomerRow> {
  const now = new Date()
  const row: CustomerRow = {
    id: newId(),
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    name: input.name,
    email: input.email,
    phoneNumber: input.phoneNumber ?? null,
    address: input.address ?? null,
    country: input.country ?? null,
    taxId: input.taxId ?? null,
    metadata: input.metadata ?? {},
    parts: initial,
    anonymisedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  unit.insert(CustomerEntity, row as InferEntity<typeof CustomerEntity>)
  return row
}

/** All customers, newest first. */
export const all = (context: QueryContext): AsyncIterable<CustomerRow[]> => everyRow(context, CustomerEntity)

/** @throws customer_not_found 404 */
export async function find(
  context: QueryContext,
  id: string,
  options: { lockMode?: LockMode } = {},
): Promise<CustomerRow> {
  // As it is now: what the unit of work has written with statements of its own is not in the ORM's copies.
  const row = isId(id)
    ? await context.em.findOne(CustomerEntity, { id }, { ...options, disableIdentityMap: true })
    : null
  if (!row) throw errors.customer_not_found()
  return row
}

/** A customer, locked until the transaction ends. @throws customer_not_found 404 */
export const lockCustomer = (unit: UnitOfWork, id: string): Promise<CustomerRow> =>
  find(unit, id, { lockMode: LockMode.PESSIMISTIC_WRITE })

/**
 * Records the part of a customer that the domain of this name keeps. Returns the customer as its GET shows it.
 * @throws customer_not_found 404
 */
export async function setCustomerPart(
  unit: UnitOfWork,
  id: string,
  name: string,
  value: unknown,
): Promise<ReturnType<typeof present>> {
  const row = await lockCustomer(unit, id)
  return present(await updateRow(unit, CustomerEntity, row, { parts: { ...row.parts, [name]: value } }))
}

/**
 * Checks the `customerId` of a request body; null and undefined are permitted.
 * @throws validation_failed 422 on `customerId` when the tenant has no such customer
 */
export async function checkCustomer(context: QueryContext, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined) return
  const found = await context.em.count(CustomerEntity, { id })
  if (found === 0) throw invalid({ customerId: errors.customer_not_found.message })
}

/**
 * Changes the fields in the patch, under the row's lock. Null removes what is optional; `metadata` is merged. A
 * patch without fields changes nothing, the time of the last change included.
 * @throws customer_not_found 404, customer_exists 409, customer_anonymised 409, validation_failed 422 for too many keys
 */
export async function change(
  unit: UnitOfWork,
  { customerId, ...patch }: z.output<typeof CustomerPatch>,
): Promise<CustomerRow> {
  const row = await find(unit, customerId, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (Object.keys(patch).length === 0) return row
  if (row.anonymisedAt) throw errors.customer_anonymised()
  const metadata = mergeMetadata(row.metadata, patch.metadata)
  return updateRow(unit, CustomerEntity, row, { ...patch, metadata })
}

/**
 * Erases the personal data of a customer: name, email address, phone number, postal address, country, tax number and metadata,
 * here, in the replies that are stored for replay, and in every domain that holds some of it. Transactions and the journal stay, and refer to the customer by id. It cannot be undone; repeating it changes
 * nothing.
 * @throws customer_not_found 404
 */
export async function anonymise(unit: UnitOfWork, id: string): Promise<CustomerRow> {
  const row = await find(unit, id, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (row.anonymisedAt) return row
  const erased = {
    name: 'Anonymised customer',
    // Unique like every email address, and in a domain that does not exist (RFC 2606).
    email: `${row.id}@anonymised.invalid`,
    phoneNumber: null,
    address: null,
    country: null,
    taxId: null,
    metadata: {},
  }
  const changed = await updateRow(unit, CustomerEntity, row, { ...erased, anonymisedAt: new Date() })
  for (const domain of domainsOf(unit.runtime))
    await domain.data?.anonymise?.(unit, { id: row.id, name: erased.name, formerName: row.name, erased })
  // A domain may have ended what was under way.
  const { parts, updatedAt: last } = await find(unit, row.id)
  const anonymised = { ...changed, parts, updatedAt: last }
  await replaceStoredReplies(unit, { path: '/v1/customers', id: row.id, data: present(anonymised) })
  return anonymised
}
