import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { tenant, tenantFilter, times } from '@payments/platform'
import type { z } from 'zod'
import type { Customer } from './schemas.ts'

export const CustomerEntity = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    name: p.string(),
    email: p.string(),
    phoneNumber: p.string().nullable(),
    metadata: p.json().$type<Record<string, string | number | boolean | null>>(),
    cngnStatus: p.string().$type<'not_enabled' | 'pending' | 'enabled' | 'failed'>(),
    cngnFailureReason: p.string().nullable(),
    ...times(),
  },
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
