import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { isoTime, type Metadata } from '@payments/kernel'
import {
  byId,
  foreignKeys,
  keyedByTenant,
  newestFirst,
  ofOrganisation,
  tenant,
  tenantFilter,
  times,
  uniqueIndex,
  wordsOf,
} from '@payments/platform'
import type { z } from 'zod'
import type { PlainCustomer } from './schemas.ts'

/** SQL over the table `of`: the words by which a customer is found. */
export const searchedWords = (of = ''): string =>
  wordsOf(`${of}name || ' ' || ${of}email || ' ' || coalesce(${of}phone_number, '')`)

export const CustomerEntity = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    name: p.text(),
    email: p.text(),
    phoneNumber: p.text().nullable(),
    address: p.text().nullable(),
    country: p.text().nullable(),
    taxId: p.text().nullable(),
    metadata: p.json().$type<Metadata>(),
    /** What other domains keep with a customer, by the names of their parts. */
    parts: p.json().$type<Readonly<Record<string, unknown>>>(),
    anonymisedAt: p.datetime(3).nullable(),
    ...times(),
  },
  ...keyedByTenant,
  indexes: [
    byId('customers'),
    uniqueIndex('customers_email_key', 'customers (organisation_id, environment, lower(email))'),
    { name: 'customers_address', expression: 'create index customers_address on customers (lower(email))' },
    newestFirst('customers'),
    { name: 'customers_words', expression: `create index customers_words on customers using gin (${searchedWords()})` },
  ],
  ...foreignKeys(ofOrganisation),
})

export type CustomerRow = InferEntity<typeof CustomerEntity>

/** A customer as its GET shows it: the parts of other domains are beside its own fields. */
export const present = (row: CustomerRow): z.infer<PlainCustomer> & Readonly<Record<string, unknown>> => ({
  id: row.id,
  name: row.name,
  email: row.email,
  phoneNumber: row.phoneNumber ?? null,
  address: row.address ?? null,
  country: row.country ?? null,
  taxId: row.taxId ?? null,
  metadata: row.metadata,
  ...row.parts,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
})
