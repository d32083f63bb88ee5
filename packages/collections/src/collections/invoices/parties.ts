import { merchantProfile } from '@payments/accounts'
import { brandOf } from '@payments/branding'
import { findCustomer } from '@payments/customers'
import type { QueryContext } from '@payments/platform'
import type { CollectionRow } from '../../entity.ts'

/** What the branding says about who is paid. */
export interface Seller {
  readonly legalName: string | null
  readonly address: string | null
  readonly country: string | null
  readonly taxId: string | null
}

export interface Customer {
  readonly name: string
  readonly email: string
  readonly address: string | null
  readonly country: string | null
  readonly taxId: string | null
}

/** Who an invoice is from and for. */
export interface InvoiceParties {
  /** The name that payers see. */
  readonly merchant: string
  readonly seller: Seller
  readonly customer: Customer | null
}

/** Who an invoice is from and for, as the branding and the customer are now. */
export async function partiesOf(context: QueryContext, invoice: CollectionRow): Promise<InvoiceParties> {
  const merchant = await merchantProfile(context, invoice.organisationId)
  const row = invoice.customerId ? await findCustomer(context, invoice.customerId) : null
  const brand = await brandOf(context, invoice, invoice.branding)
  return {
    merchant: brand.displayName ?? merchant.name,
    seller: { legalName: brand.legalName, address: brand.address, country: brand.country, taxId: brand.taxId },
    // An anonymised customer has no name and no address any more.
    customer:
      row && !row.anonymisedAt
        ? {
            name: row.name,
            email: row.email,
            address: row.address ?? null,
            country: row.country ?? null,
            taxId: row.taxId ?? null,
          }
        : null,
  }
}
