import { merchantProfile } from '@payments/accounts'
import { brandOf, logoForDocuments } from '@payments/branding'
import { findCustomer } from '@payments/customers'
import { type AnonymisedCustomer, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import { replaceInEvents } from '@payments/webhooks'
import type { CollectionRow } from '../../entity.ts'
import type { Customer, IssuedInvoice } from '../../terms/rows.ts'

/** An invoice as it is written: as it was issued, with the state that it has now. */
export interface WrittenInvoice {
  readonly invoice: CollectionRow
  readonly parties: Pick<IssuedInvoice, 'merchant' | 'seller' | 'customer'>
  readonly logo: Uint8Array | undefined
}

/** The customer of an invoice as the document names them. An anonymised one has no name and no address any more. */
async function customerOf(context: QueryContext, id: string | null | undefined): Promise<Customer | null> {
  const row = id ? await findCustomer(context, id) : null
  if (!row || row.anonymisedAt) return null
  return {
    name: row.name,
    email: row.email,
    address: row.address ?? null,
    country: row.country ?? null,
    taxId: row.taxId ?? null,
  }
}

/** What an invoice that is issued now says for good. */
export async function issuedNow(
  context: QueryContext,
  invoice: Pick<
    CollectionRow,
    'organisationId' | 'environment' | 'branding' | 'customerId' | 'title' | 'description' | 'dueAt'
  >,
): Promise<IssuedInvoice> {
  const { name } = await merchantProfile(context, invoice.organisationId)
  const { displayName, legalName, address, country, taxId, logoId } = await brandOf(context, invoice, invoice.branding)
  return {
    merchant: displayName ?? name,
    seller: { legalName, address, country, taxId },
    logoId,
    customer: await customerOf(context, invoice.customerId),
    title: invoice.title,
    description: invoice.description ?? null,
    dueAt: invoice.dueAt?.toISOString() ?? null,
  }
}

/** An invoice with what it said when it was issued; a preview with what is so now. */
export async function writtenInvoice(context: QueryContext, invoice: CollectionRow): Promise<WrittenInvoice> {
  const issued = invoice.issued ?? (await issuedNow(context, invoice))
  const { title, description, dueAt } = issued
  return {
    invoice: { ...invoice, title, description, dueAt: dueAt === null ? null : new Date(dueAt) },
    parties: issued,
    logo: await logoForDocuments(context, issued.logoId),
  }
}

/** Where an invoice is sent now, which its document need not name; undefined without a customer, or with an anonymised one. */
export const recipientOf = async (context: QueryContext, invoice: CollectionRow): Promise<string | undefined> =>
  (await customerOf(context, invoice.customerId))?.email

/** Takes the customer out of the invoices that were issued to them, and their address out of what paid for these: number, items and amounts stay. */
export async function anonymise(unit: UnitOfWork, { id }: AnonymisedCustomer): Promise<void> {
  const db = sqlOf(unit.em)
  const ofCustomer = [unit.actor.organisationId, unit.actor.environment, id]
  await db.query(
    `update collections set issued = jsonb_set(issued, '{customer}', 'null')
      where organisation_id = $1 and environment = $2 and customer_id = $3 and issued is not null`,
    ofCustomer,
  )
  const { rows } = await db.query<{ id: string }>(
    `update checkout_sessions s set payer_email = null from collections c
      where c.organisation_id = $1 and c.environment = $2 and c.customer_id = $3
        and (s.organisation_id, s.environment, s.parent_id) = (c.organisation_id, c.environment, c.id) and s.payer_email is not null returning s.id`,
    ofCustomer,
  )
  const ids = rows.map((session) => session.id)
  await replaceInEvents(unit, { ids, field: ['payerEmail'], value: null })
}
