import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@payments/kernel'
import {
  foreignKeys,
  newestFirst,
  ofOrganisation,
  tenant,
  tenantFilter,
  tenantKey,
  times,
  uniqueIndex,
} from '@payments/platform'
import type { z } from 'zod'
import type { Customer } from './schemas.ts'

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
    metadata: p.json().$type<Metadata>(),
    cngnStatus: p.enum(['not_enabled', 'pending', 'enabled', 'failed']),
    cngnFailureReason: p.text().nullable(),
    anonymisedAt: p.datetime(3).nullable(),
    ...times(),
  },
  uniques: [tenantKey],
  indexes: [
    uniqueIndex('customers_email_key', 'customers (organisation_id, environment, lower(email))'),
    { name: 'customers_address', expression: 'create index customers_address on customers (lower(email))' },
    newestFirst('customers'),
  ],
  ...foreignKeys(ofOrganisation),
})

export type CustomerRow = InferEntity<typeof CustomerEntity>

/** A customer as its GET shows it. */
export const present = (row: CustomerRow): z.infer<typeof Customer> => ({
  id: row.id,
  name: row.name,
  email: row.email,
  phoneNumber: row.phoneNumber ?? null,
  metadata: row.metadata,
  cngn: { status: row.cngnStatus, failureReason: row.cngnFailureReason ?? null },
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
