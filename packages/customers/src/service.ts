import { isId, newId, pages, type Read, refusing, risingAfter, type Work } from '@payments/kernel'
import type { z } from 'zod'
import { CustomerEntity, type CustomerRow, present } from './entity.ts'
import { no } from './refusals.ts'
import type { CustomerPatch, NewCustomer } from './schemas.ts'

/** Adds a customer. One e-mail, in any case, belongs to one customer of an organisation and environment. */
export async function create(work: Work, input: z.output<typeof NewCustomer>): Promise<CustomerRow> {
  const now = new Date()
  const row: CustomerRow = {
    id: newId(),
    organisationId: work.actor.organisationId,
    environment: work.actor.environment,
    name: input.name,
    email: input.email,
    phoneNumber: input.phoneNumber ?? null,
    metadata: input.metadata ?? {},
    cngnStatus: 'not_enabled',
    cngnFailureReason: null,
    createdAt: now,
    updatedAt: now,
  }
  await refusing([no.customer_exists], () => work.em.insert(CustomerEntity, row))
  return row
}

/** All customers as their GET shows them, newest first. */
export async function* all(read: Read) {
  for await (const page of pages(read, CustomerEntity)) yield page.map(present)
}

/** @throws Refusal 404 when there is none with this id here. */
export async function find(read: Read, id: string): Promise<CustomerRow> {
  const row = isId(id) ? await read.em.findOne(CustomerEntity, { id }) : null
  if (!row) throw no.customer_not_found()
  return row
}

/** Changes what is given and leaves the rest. `phoneNumber: null` removes the number; `metadata` is replaced whole. */
export async function change(
  work: Work,
  { customerId, ...patch }: z.output<typeof CustomerPatch>,
): Promise<CustomerRow> {
  const row = await find(work, customerId)
  const changes = { ...patch, updatedAt: risingAfter(row.updatedAt) }
  await refusing([no.customer_exists], () => work.em.nativeUpdate(CustomerEntity, { id: row.id }, changes))
  return { ...row, ...changes }
}
